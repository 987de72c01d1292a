//! `piton inbox`: everything that waits for a person.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use piton_runtime::config::Status;
use piton_runtime::project_env::ProjectDir;
use piton_runtime::reply::{GappedRun, Inbox, Question};
use piton_runtime::request::Freshness;
use piton_runtime::workflow::{RunSummary, StepPlace};
use piton_runtime::workspaces::FileWorld;

use super::stop;
use super::workspace::WorkspaceArguments;
use crate::app::{App, Outcome};
use crate::bounds::{INBOX_INTERVAL, WATCH_STEP};
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::messages::{ago, cell, count};
use crate::open::Open;
use crate::output;
use crate::style::{Tone, styled};
use crate::table::Cell;

/// Name of the reply for programs.
const SCHEMA: &str = "piton.inbox/1";

#[derive(Args)]
pub(crate) struct InboxCommand {
    /// Look again each second, and print the inbox when it changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    workspaces: WorkspaceArguments,
}

/// An open data directory with the places that an inbox looks at.
struct InboxSource {
    open: Open,
    project: Option<PathBuf>,
    files: Option<Arc<FileWorld>>,
}

impl InboxCommand {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let source = self.source(app)?;
        if self.watch {
            return watch(app, &source);
        }
        let inbox = source.read(app)?;
        print(app, &inbox);
        app.output.finish(SCHEMA, &inbox)
    }

    fn source(&self, app: &App) -> Result<InboxSource, Failure> {
        let declared = self.workspaces.declared(app)?;
        let open = app.open()?;
        // Questions must be seen even where no Workspace can be opened.
        let files = WorkspaceArguments::open(&open, declared).unwrap_or_else(|failure| {
            let why = failure.envelope().message;
            output::warn(format_args!("Note: overlays are not shown. {why}"));
            None
        });
        let project = app.project(open.runtime.applied())?;
        let project = project.as_ref().map(ProjectDir::path).map(PathBuf::from);
        Ok(InboxSource { open, project, files })
    }
}

impl InboxSource {
    fn read(&self, app: &App) -> Result<Inbox, Failure> {
        let read =
            self.open.runtime.inbox(self.project.as_deref(), self.files.as_deref(), Freshness::Now);
        let mut inbox = self.open.wait(read)?;
        app.output.complete_all(inbox.damaged.items.iter_mut().map(|one| &mut one.trouble));
        Ok(inbox)
    }
}

/// Prints the inbox now, and each time that it changes.
fn watch(app: &App, source: &InboxSource) -> Outcome {
    let stopped = Arc::new(AtomicBool::new(false));
    let ask = {
        let stopped = Arc::clone(&stopped);
        move || stopped.store(true, Ordering::Relaxed)
    };
    stop::when_asked(&source.open, ask, CommandEnding::Done)?;
    let mut shown = None;
    while !stopped.load(Ordering::Relaxed) {
        match source.read(app) {
            Ok(inbox) if shown.as_ref() != Some(&inbox) => {
                if app.output.is_json() {
                    // Each state is a line of its own, since a watch has no end at which to print one document.
                    output::line(&inbox)?;
                } else {
                    if shown.is_some() {
                        app.output.print("");
                    }
                    print(app, &inbox);
                }
                shown = Some(inbox);
            }
            Ok(_) => {}
            // A store that is busy or gone for a moment is no reason to stop looking.
            Err(failure) => app.output.trouble(&failure.envelope()),
        }
        for _ in 0..INBOX_INTERVAL.as_millis() / WATCH_STEP.as_millis() {
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            source.open.block_on(async { tokio::time::sleep(WATCH_STEP).await });
        }
    }
    Ok(CommandEnding::Done)
}

fn print(app: &App, inbox: &Inbox) {
    let output = &app.output;
    if inbox.total() == 0 {
        output.print("Nothing waits for you.");
    }
    let mut sections = Sections { app, is_first: true };
    print_runs(app, inbox, &mut sections);
    print_files(app, inbox, &mut sections);
    if !inbox.config_problems.is_empty() || inbox.restart.is_some() {
        sections.begin("Settings");
        for problem in &inbox.config_problems {
            output.print(problem);
        }
        if let Some(text) = inbox.restart.as_ref().and_then(Status::text) {
            output.print(text);
        }
    }
    for error in &inbox.unavailable {
        output.trouble(error);
    }
    if inbox.runs_not_read > 0 {
        writeln!(output, "\n{} were not read.", count(inbox.runs_not_read, "older run"));
    }
    advise(app, inbox);
}

/// The sections of an inbox, with a blank line between them.
struct Sections<'a> {
    app: &'a App,
    is_first: bool,
}

impl Sections<'_> {
    fn begin(&mut self, title: &str) {
        if !std::mem::take(&mut self.is_first) {
            self.app.output.print("");
        }
        self.app.output.print(styled(Tone::Attention, title));
    }
}

fn print_runs(app: &App, inbox: &Inbox, sections: &mut Sections<'_>) {
    let output = &app.output;
    if !inbox.questions.is_empty() {
        sections.begin("Waits for you");
        let rows: Vec<_> = inbox.questions.items.iter().map(question).collect();
        output.table(["RUN", "WORKFLOW", "STEP", "ASKS", "SINCE"], &rows);
        output.left_out(inbox.questions.left_out, "questions");
    }
    if !inbox.blocked.is_empty() {
        sections.begin("Blocked");
        let rows: Vec<_> = inbox.blocked.items.iter().map(|run| row(run, step(run))).collect();
        output.table(RUN_HEADS, &rows);
        output.left_out(inbox.blocked.left_out, "runs");
    }
    if !inbox.gaps.is_empty() {
        sections.begin("Critical gaps");
        let gapped = |one: &GappedRun| row(&one.run, count(one.critical, "gap"));
        let rows: Vec<_> = inbox.gaps.items.iter().map(gapped).collect();
        output.table(RUN_HEADS, &rows);
        output.left_out(inbox.gaps.left_out, "runs");
    }
    if !inbox.damaged.is_empty() {
        sections.begin("Damaged");
        for one in &inbox.damaged.items {
            let trouble = &one.trouble;
            writeln!(output, "{}: {}\n{}", one.session_id, trouble.message, trouble.suggestion);
        }
        output.left_out(inbox.damaged.left_out, "sessions");
    }
}

fn print_files(app: &App, inbox: &Inbox, sections: &mut Sections<'_>) {
    let output = &app.output;
    if !inbox.overlays.is_empty() {
        sections.begin("Overlays to review");
        for one in &inbox.overlays.items {
            writeln!(output, "{}: {} over {}", one.overlay, count(one.changes, "change"), one.over);
        }
        output.left_out(inbox.overlays.left_out, "overlays");
    }
    if !inbox.unloaded.is_empty() {
        sections.begin("Workflow files that do not load");
        for file in &inbox.unloaded.items {
            output.print(file.text().trim_end());
        }
        output.left_out(inbox.unloaded.left_out, "files");
    }
}

/// Suggests the command for the first thing that waits.
fn advise(app: &App, inbox: &Inbox) {
    let run = inbox.blocked.items.first().or(inbox.gaps.items.first().map(|one| &one.run));
    if let Some(question) = inbox.questions.items.first() {
        let label = question.run.label;
        app.output.advise(format_args!(
            "\nLet it continue: piton approve {label}\nSay something, or no: piton answer {label} TEXT, piton reject {label} REASON"
        ));
    } else if let Some(run) = run {
        app.output.advise(format_args!("\nShow one: piton session show {}", run.label));
    } else if let Some(overlay) = inbox.overlays.items.first() {
        app.output.advise(format_args!("\nReview it: piton workspace diff {}", overlay.overlay));
    }
}

const RUN_HEADS: [&str; 4] = ["RUN", "WORKFLOW", "AT", "LAST"];

fn row(run: &RunSummary, at: String) -> [Cell; 4] {
    [
        run.label.to_string().into(),
        run.workflow.id.to_string().into(),
        at.into(),
        ago(App::now(), run.active_at).into(),
    ]
}

fn step(run: &RunSummary) -> String {
    let place = |step: &StepPlace| format!("{}/{} {}", step.number, step.of, step.title.as_str());
    cell(&run.step.as_ref().map_or_else(|| "done".to_owned(), place))
}

fn question(question: &Question) -> [Cell; 5] {
    let place =
        question.run.step.map_or_else(String::new, |step| format!("{step}/{} ", question.run.of));
    // Without a question of the author, the person confirms what the agent is asked to do.
    let asks = question.words.as_ref().unwrap_or(&question.excerpt);
    [
        question.run.label.to_string().into(),
        question.run.workflow_id.to_string().into(),
        cell(&format!("{place}{}", question.title)).into(),
        cell(asks).into(),
        ago(App::now(), question.since).into(),
    ]
}
