//! `piton workspace log`: the changes of a file.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::workspaces::{Actor, AuditIntent, AuditRecord, FileHistory};

use super::WorkspaceArguments;
use crate::app::{App, Outcome};
use crate::messages::{ago, short};
use crate::style::{Tone, styled};

#[derive(Args)]
pub(crate) struct LogFile {
    /// A path as agents write it
    path: String,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

const HEADS: [&str; 5] = ["WHEN", "WHO", "DID", "VERSION", "OUTCOME"];

impl LogFile {
    pub(super) fn run(self, app: &App) -> Outcome {
        let (open, world) = self.chosen.world(app)?;
        let history = open.wait(world.history(&self.path))?;
        say_history(app, &history);
        app.output.finish("piton.workspace.log/1", &history)
    }
}

/// Prints the changes of a file and their authors.
pub(crate) fn say_history(app: &App, history: &FileHistory) {
    let FileHistory { path, blame, .. } = history;
    let output = &app.output;
    if blame.records.is_empty() {
        writeln!(output, "Nobody changed {path} through Piton.");
    } else {
        let now = App::now();
        let row = |record: &AuditRecord| {
            [
                ago(now, record.timestamp_ms).into(),
                author_text(&record.intent).into(),
                did(&record.intent, path.as_str()).into(),
                version(&record.intent, path.as_str()).into(),
                record.outcome.as_str().into(),
            ]
        };
        let rows: Vec<_> = blame.records.iter().rev().map(row).collect();
        output.table(HEADS, &rows);
    }
    if blame.older > 0 {
        writeln!(output, "{} older records are not shown.", blame.older);
    }
    if blame.changed_outside {
        let words = if blame.records.is_empty() {
            "It is there all the same: it was made outside Piton."
        } else {
            "It is not as the last of these left it: it was changed outside Piton."
        };
        output.print(styled(Tone::Attention, words));
    }
    if blame.lost {
        let words = "It is not as the last of these left it: it was lost when stored data was damaged. Write it again.";
        output.print(styled(Tone::Attention, words));
        output.advise("What repairs keep of it: piton data repairs");
    }
    output.advise(format_args!(
        "\nWhere it is kept: piton workspace resolve {}",
        shell_word(path.as_str())
    ));
}

/// Names the actor, with the run and the step. For changes that were applied from an overlay, it names their authors
/// too.
pub(super) fn author_text(intent: &AuditIntent) -> String {
    let acted = named(&intent.actor);
    let Some(source) = &intent.source else { return acted };
    let authors: Vec<String> = source.authors.iter().map(named).collect();
    let authors = if authors.is_empty() { "unknown".to_owned() } else { authors.join(" and ") };
    format!("{authors} in {}; applied by {acted}", source.overlay)
}

fn named(Actor { agent, run, step, .. }: &Actor) -> String {
    match (run, step) {
        (Some(run), Some(step)) => format!("{agent}, {run} at {step}"),
        _ => agent.clone(),
    }
}

fn did(intent: &AuditIntent, asked: &str) -> String {
    let AuditIntent { tool, path, target, .. } = intent;
    let is_asked = path.as_str() == asked;
    match (intent.origin.as_ref().map(|origin| &origin.path), target) {
        (Some(from), _) if is_asked => format!("{tool} from {from}"),
        (Some(from), _) => format!("{tool} {from} to {path}"),
        (None, Some(target)) if target.as_str() == asked => format!("{tool} from {path}"),
        (None, Some(target)) if is_asked => format!("{tool} to {target}"),
        (None, Some(target)) => format!("{tool} {path} to {target}"),
        (None, None) if is_asked => tool.to_string(),
        (None, None) => format!("{tool} {path}"),
    }
}

/// Returns the beginning of the digest that the change left behind.
fn version(intent: &AuditIntent, asked: &str) -> String {
    let path = intent.path.as_str();
    let is_below = asked.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    match intent.after {
        Some(after) => short(&after.to_string()).to_owned(),
        None if intent.target.is_some() && path != asked && !is_below => "unchanged".to_owned(),
        None => "gone".to_owned(),
    }
}
