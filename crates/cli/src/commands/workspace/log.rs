//! `piton workspace log`: the changes of one file, or of all.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::workspaces::{
    Actor, AuditIntent, AuditRecord, FileHistory, FileLogQuery, LogPage, Tool,
};

use super::WorkspaceArguments;
use crate::app::{App, Outcome};
use crate::messages::{ago, count, short};
use crate::style::{Tone, styled};

#[derive(Args)]
pub(crate) struct LogFile {
    /// A path as agents write it [default: the changes of all files]
    path: Option<String>,
    /// Only changes of this directory, with everything inside
    #[arg(long, value_name = "PATH", conflicts_with = "path")]
    under: Option<String>,
    /// Only changes of this agent
    #[arg(long, value_name = "NAME", conflicts_with = "path")]
    agent: Option<String>,
    /// Only changes of this run, by its id
    #[arg(long, value_name = "RUN", conflicts_with = "path")]
    run: Option<String>,
    /// Only changes by this tool, such as `write`
    #[arg(long, value_name = "TOOL", conflicts_with = "path")]
    tool: Option<Tool>,
    /// Continue behind an earlier page, as its last line says
    #[arg(long, value_name = "PLACE", conflicts_with = "path")]
    from: Option<String>,
    /// The number of changes
    #[arg(long, value_name = "COUNT", default_value_t = RECORDS_SHOWN, conflicts_with = "path")]
    limit: usize,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

/// Default number of changes of all files: a screen.
const RECORDS_SHOWN: usize = 50;

const HEADS: [&str; 5] = ["WHEN", "WHO", "DID", "VERSION", "OUTCOME"];

impl LogFile {
    pub(super) fn run(self, app: &App) -> Outcome {
        let (open, world) = self.chosen.world(app)?;
        if let Some(path) = &self.path {
            let history = open.wait(world.history(path))?;
            say_history(app, &history);
            return app.output.finish("piton.workspace.log/1", &history);
        }
        let Self { under, agent, run, tool, from, limit, .. } = self;
        let query = FileLogQuery { under, agent, run, tool, from, limit: Some(limit) };
        let page = open.wait(world.log(&query))?;
        say_page(app, &page);
        app.output.finish("piton.workspace.log_all/1", &page)
    }
}

/// Prints the changes of all files.
fn say_page(app: &App, page: &LogPage) {
    let output = &app.output;
    if page.records.is_empty() {
        output.print("No such change is recorded here.");
    } else {
        let now = App::now();
        let row = |record: &AuditRecord| {
            [
                ago(now, record.timestamp_ms).into(),
                author_text(&record.intent).into(),
                did(&record.intent, "").into(),
                record.outcome.as_str().into(),
            ]
        };
        let rows: Vec<_> = page.records.iter().map(row).collect();
        output.table(["WHEN", "WHO", "DID", "OUTCOME"], &rows);
    }
    if page.damaged > 0 {
        let damaged = count(page.damaged, "record");
        output.print(styled(Tone::Attention, format_args!("{damaged} cannot be read.")));
        output.advise("Check them: piton workspace verify");
    }
    if let Some(next) = &page.next {
        output.advise(format_args!("older ones: add --from {next}"));
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
