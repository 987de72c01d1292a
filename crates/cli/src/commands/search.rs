//! `piton search`: everything that has some words.

use clap::Args;
use piton_runtime::project_env::ProjectDir;
use piton_runtime::reply::FoundRun;
use piton_runtime::search::{Excerpt, Findings, FoundGroup, FoundKind, FoundThing};

use super::workspace::WorkspaceArguments;
use super::worlds::OpenWorlds;
use crate::app::{App, Outcome};
use crate::bounds::SEARCH_SHOWN;
use crate::messages::count;
use crate::style::{Tone, styled};

#[derive(Args)]
pub(crate) struct SearchCommand {
    /// The words. All of them must occur; the last may be the beginning of a word
    #[arg(value_name = "TEXT", required = true)]
    words: Vec<String>,
    /// Maximum number of things of one kind
    #[arg(long, value_name = "COUNT", default_value_t = SEARCH_SHOWN)]
    limit: usize,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

impl SearchCommand {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let here = OpenWorlds::new(app, self.chosen.declared(app)?)?;
        let (open, text) = (&here.open, self.words.join(" "));
        let project = app.project(open.runtime.applied())?;
        // A console that runs keeps the runs indexed; here nobody did.
        open.wait(open.runtime.catch_up_runs())?;
        let worlds = here.worlds();
        let project = project.as_ref().map(ProjectDir::path);
        let search = open.runtime.search_everything(&text, 0, Some(self.limit), &worlds, project);
        let found = open.wait(search)?;
        print(app, &found);
        app.output.finish("piton.search/1", &found)
    }
}

fn print(app: &App, found: &Findings) {
    if found.runs.total == 0 && found.groups.iter().all(|group| group.total == 0) {
        app.output.print("Nothing has all of these words.");
    }
    if found.runs.total > 0 {
        heading(app, "Runs", found.runs.total, found.runs.runs.len());
        found.runs.runs.iter().for_each(|run| say_run(app, run));
    }
    for group in &found.groups {
        say_group(app, group);
    }
}

fn heading(app: &App, title: &str, total: u64, shown: usize) {
    let more = total.saturating_sub(u64::try_from(shown).unwrap_or(u64::MAX));
    let more = if more > 0 { format!(" ({more} more)") } else { String::new() };
    writeln!(app.output, "{title}{more}");
}

fn say_run(app: &App, FoundRun { run, excerpt }: &FoundRun) {
    writeln!(app.output, "  {}  {}", run.label, one_line(run.title.as_str()));
    say_excerpt(app, excerpt.as_ref());
}

fn say_group(app: &App, group: &FoundGroup) {
    let title = match group.kind {
        FoundKind::Backpack => "Backpacks",
        FoundKind::Frame => "Frames",
        FoundKind::File => "Files",
        FoundKind::Workflow => "Workflows",
    };
    if let Some(why) = &group.unavailable {
        writeln!(app.output, "{title} were not searched: {}", why.message);
        return;
    }
    if group.total > 0 {
        heading(app, title, group.total, group.things.len());
    }
    for FoundThing { name, excerpt } in &group.things {
        let further = name.name.as_deref().map_or_else(String::new, |name| format!("  {name}"));
        writeln!(app.output, "  {}{further}", name.place);
        // Of the other kinds, the name is all that is searched.
        if group.kind == FoundKind::Frame {
            say_excerpt(app, excerpt.as_ref());
        }
    }
    if group.unindexed > 0 {
        let rest = count(group.unindexed, "source");
        writeln!(app.output, "  {rest} not searched yet; search again to include them.");
    }
}

fn say_excerpt(app: &App, excerpt: Option<&Excerpt>) {
    let Some(excerpt) = excerpt else { return };
    let text: String = excerpt.pieces.iter().map(|piece| piece.text.as_str()).collect();
    writeln!(app.output, "    {}", styled(Tone::Faint, one_line(&text)));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
