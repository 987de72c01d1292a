//! `piton workspace log`: the changes of a file.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::workspaces::{FileHistory, RecordShown};

use super::Chosen;
use crate::{
    app::App,
    exit::CommandEnding,
    failure::Failure,
    messages::ago,
    messages::short,
    style::{Tone, styled},
    table,
};

#[derive(Args)]
pub(crate) struct LogFile {
    /// A path as agents write it
    path: String,
    #[command(flatten)]
    chosen: Chosen,
}

const HEADS: [&str; 5] = ["WHEN", "WHO", "DID", "VERSION", "OUTCOME"];

impl LogFile {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let (open, world) = self.chosen.world(app)?;
        let history = open.wait(world.history(&self.path))?;
        say_history(app, &history);
        app.output.reply("piton.workspace.log/1", &history)?;
        Ok(CommandEnding::Done)
    }
}

/// Prints the changes of a file and their authors.
pub(crate) fn say_history(app: &App, history: &FileHistory) {
    let output = &app.output;
    if history.records.is_empty() {
        output.print(format_args!("Nobody changed {} through Piton.", history.path));
    } else {
        let now = App::now();
        let row = |record: &RecordShown| {
            [
                ago(now, record.timestamp_ms).into(),
                author_text(record).into(),
                did(record, &history.path).into(),
                version(record, &history.path).into(),
                record.outcome.as_str().into(),
            ]
        };
        let rows: Vec<_> = history.records.iter().rev().map(row).collect();
        for line in table::lines(HEADS, &rows) {
            output.print(line.trim_end());
        }
    }
    if history.left_out > 0 {
        output.print(format_args!("{} older records are not shown.", history.left_out));
    }
    if history.changed_outside {
        let words = if history.records.is_empty() {
            "It is there all the same: it was made outside Piton."
        } else {
            "It is not as the last of these left it: it was changed outside Piton."
        };
        output.print(styled(Tone::Attention, words));
    }
    if history.lost {
        let words = "It is not as the last of these left it: it was lost when stored data was damaged. Write it again.";
        output.print(styled(Tone::Attention, words));
        output.advise("What repairs keep of it: piton data repairs");
    }
    output.advise(format_args!(
        "\nWhere it is kept: piton workspace resolve {}",
        shell_word(&history.path)
    ));
}

/// Names the actor, with the run and the step. For changes that were applied from an overlay, it names their authors
/// too.
pub(super) fn author_text(record: &RecordShown) -> String {
    let RecordShown { agent, run, step, overlay, authors, .. } = record;
    let acted = named(agent, run.as_deref(), step.as_deref());
    let Some(overlay) = overlay else { return acted };
    let authors: Vec<String> = authors
        .iter()
        .map(|author| named(&author.agent, author.run.as_deref(), author.step.as_deref()))
        .collect();
    let authors = if authors.is_empty() { "unknown".to_owned() } else { authors.join(" and ") };
    format!("{authors} in {overlay}; applied by {acted}")
}

fn named(agent: &str, run: Option<&str>, step: Option<&str>) -> String {
    match (run, step) {
        (Some(run), Some(step)) => format!("{agent}, {run} at {step}"),
        _ => agent.to_owned(),
    }
}

fn did(record: &RecordShown, asked: &str) -> String {
    let RecordShown { tool, path, from, target, .. } = record;
    match (from, target) {
        (Some(from), _) if path == asked => format!("{tool} from {from}"),
        (Some(from), _) => format!("{tool} {from} to {path}"),
        (None, Some(target)) if target == asked => format!("{tool} from {path}"),
        (None, Some(target)) if path == asked => format!("{tool} to {target}"),
        (None, Some(target)) => format!("{tool} {path} to {target}"),
        (None, None) if path == asked => tool.to_string(),
        (None, None) => format!("{tool} {path}"),
    }
}

/// Returns the beginning of the digest that the change left behind.
fn version<'a>(record: &'a RecordShown, asked: &str) -> &'a str {
    let RecordShown { path, target, after, .. } = record;
    let is_below = asked.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'));
    match after {
        Some(after) => short(after),
        None if target.is_some() && path != asked && !is_below => "unchanged",
        None => "gone",
    }
}
