//! `piton blame`: the origin of something, and the steps behind it.

use clap::{Args, Subcommand};
use piton_runtime::context::{GetContext, RootRef, ViewedFrame};
use piton_runtime::page::Page;
use piton_runtime::provenance::{
    BookmarkLink, ChainLink, NodeBlame, NodeReference, OutputShown, RecapLine, RecapSource,
};
use piton_runtime::request::SessionReference;
use piton_runtime::workspaces::{Actor, AuditRecord};
use serde::Serialize;

use super::backpack::{Backpack, backpacks};
use super::context::ProjectSession;
use super::session::{artifact_line, say_decisions};
use super::workspace::{WorkspaceArguments, say_history};
use crate::app::{App, Outcome};
use crate::complete;
use crate::messages::{ago, short};
use crate::open::Open;
use crate::output;
use crate::style::{Tone, styled};
use crate::tree::ending;

/// Width of the column before each line of a recap.
const RECAP_WIDTH: usize = 20;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show the steps that led to a step of a run, and what was submitted for each
    #[command(after_help = "Example:\n  piton blame run amber-otter@diagnose")]
    Run(BlameNode),
    /// Show the source of each line of the recap that an agent reads when it resumes a run
    #[command(after_help = "Example:\n  piton blame recap amber-otter")]
    Recap(BlameNode),
    /// Show who packed a key of a backpack, at which step, and the steps that led there
    #[command(after_help = "Example:\n  piton blame state research sources")]
    State(BlameState),
    /// Show who changed a file of a Workspace, at which step, and the steps that led there
    #[command(after_help = "Example:\n  piton blame file /scratch/retry.rs")]
    File(BlameFile),
    /// Show the frames on a file or directory of the project, and the steps that led to the newest
    #[command(after_help = "Example:\n  piton blame frame src/lib.rs")]
    Frame(BlameFrame),
}

#[derive(Args)]
pub(crate) struct BlameNode {
    /// The run, and after `@` a node or the id of a step [default: the current node; without a run, the most recently
    /// active one]
    #[arg(value_name = "RUN[@NODE]", add = complete::runs())]
    node: Option<NodeReference>,
}

#[derive(Args)]
pub(crate) struct BlameState {
    #[command(flatten)]
    backpack: Backpack,
    /// The key
    #[arg(value_name = "KEY", add = complete::keys())]
    key: String,
}

#[derive(Args)]
pub(crate) struct BlameFile {
    /// The path, as agents write it
    path: String,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

#[derive(Args)]
pub(crate) struct BlameFrame {
    /// The file or directory
    #[arg(value_name = "PATH")]
    path: String,
}

/// Something with the steps behind it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blamed<'a, T> {
    #[serde(flatten)]
    thing: &'a T,
    /// The steps behind its newest change; `None` if that was made for no step.
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<NodeBlame>,
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::Run(blame) => run(app, blame.node),
            Self::Recap(blame) => recap(app, blame.node),
            Self::State(blame) => blame.run(app),
            Self::File(blame) => blame.run(app),
            Self::Frame(blame) => blame.run(app),
        }
    }
}

fn run(app: &App, node: Option<NodeReference>) -> Outcome {
    let open = app.open()?;
    let blame = open.wait(open.runtime.blame_node(&open.node_or_latest(node)?))?;
    open.log.about(blame.session_id);
    let NodeBlame { label, workflow_id, session_id, run_id, .. } = &blame;
    writeln!(app.output, "{label} · {workflow_id}");
    writeln!(app.output, "  session  {session_id}\n  run      {run_id}\n");
    if blame.left_out > 0 {
        writeln!(app.output, "{} earlier steps are left out.", blame.left_out);
    }
    blame.chain.iter().for_each(|link| say_link(app, link));
    app.output.finish("piton.blame.run/1", &blame)
}

fn recap(app: &App, node: Option<NodeReference>) -> Outcome {
    let open = app.open()?;
    let blame = open.wait(open.runtime.blame_recap(&open.node_or_latest(node)?))?;
    open.log.about(blame.session_id);
    if blame.lines.is_empty() {
        app.output.print("There is no recap yet: no step of the run is done.");
    }
    for RecapLine { text, from } in &blame.lines {
        let from = match from {
            Some(RecapSource { output_id: Some(output), event, .. }) => {
                format!("{} event {event}", ending(&output.to_string()))
            }
            Some(RecapSource { event, .. }) => format!("a person event {event}"),
            None => "composed by Piton".to_owned(),
        };
        writeln!(app.output, "{from:<RECAP_WIDTH$} | {text}");
    }
    app.output.finish("piton.blame.recap/1", &blame)
}

impl BlameState {
    fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let blame = open.wait(backpacks(&open).blame(
            &self.backpack.run,
            Some(&self.key),
            Page::default(),
        ))?;
        for line in &blame.lines {
            let step =
                line.provenance.as_ref().map(|provenance| format!(" at {}", provenance.step));
            writeln!(
                app.output,
                "{}  {}{}  version {}: {}",
                line.timestamp_ms.utc(),
                line.by.id,
                step.unwrap_or_default(),
                line.version,
                line.summary
            );
        }
        // The newest version is the current value, so its steps are the ones to show.
        let newest = blame.lines.iter().max_by_key(|line| line.version);
        let place = newest.and_then(|line| line.provenance.as_ref());
        let place = place.map(|found| (found.run.to_string(), found.node.to_string()));
        let place = place.as_ref().map(|(run, node)| (run.as_str(), node.as_str()));
        let chain = say_chain(app, &open, place);
        app.output.finish("piton.blame.state/1", &Blamed { thing: &blame, chain })
    }
}

impl BlameFile {
    fn run(self, app: &App) -> Outcome {
        let (open, world) = self.chosen.world(app)?;
        let history = open.wait(world.history(&self.path))?;
        say_history(app, &history);
        // A copy or a move brings a file here but does not make its content, so such records are skipped.
        let is_brought = |AuditRecord { intent, .. }: &AuditRecord| {
            intent.origin.is_some() || intent.target.is_some() && intent.path != history.path
        };
        let made = history.blame.records.iter().rev().find(|record| !is_brought(record));
        // Older records name no node. There the step stands for the newest node that was at it.
        let place = made.and_then(|AuditRecord { intent, .. }| {
            // The one who applied an overlay was led through no workflow, but the one who wrote to it may have been.
            let author = intent.source.as_ref().and_then(|source| source.authors.first());
            let Actor { run, node, step, .. } = author.unwrap_or(&intent.actor);
            run.as_deref().zip(node.as_deref().or(step.as_deref()))
        });
        let chain = say_chain(app, &open, place);
        app.output.finish("piton.blame.file/1", &Blamed { thing: &history, chain })
    }
}

impl BlameFrame {
    fn run(self, app: &App) -> Outcome {
        let (session, agent) = ProjectSession::of(app, None)?;
        let request =
            GetContext { node: self.path, past: true, ids_only: true, ..GetContext::default() };
        let node = session.open.wait(agent.get_context(&request, &RootRef::Current))?;
        if node.frames.is_empty() {
            writeln!(app.output, "There are no frames on {}.", node.node.path);
        }
        for frame in &node.frames {
            say_frame(app, frame);
        }
        let newest = node.frames.iter().max_by_key(|frame| frame.sequence);
        let entry = |name: &str| newest?.metadata.get(name);
        // Older frames name no node. There the step stands for the newest node that was at it.
        let place = entry("node").or(entry("step"));
        let chain = say_chain(app, &session.open, entry("run").zip(place));
        app.output.finish("piton.blame.frame/1", &Blamed { thing: &node, chain })
    }
}

fn say_frame(app: &App, frame: &ViewedFrame) {
    let ViewedFrame { id, frame_type, agent, basis, freshness, .. } = frame;
    let step = frame.metadata.get("step").map(|step| format!(" at {step}")).unwrap_or_default();
    let time = frame.created_at_ms.utc();
    let fresh = match (freshness.is_fresh(), freshness.unchecked()) {
        (true, _) => "fresh",
        (false, None) => "stale",
        (false, Some(_)) => "freshness not checked",
    };
    writeln!(
        app.output,
        "{time}  {agent}{step}  {frame_type}, {}, {fresh}  [{}]",
        basis.kind(),
        short(&id.to_string())
    );
}

/// Prints the steps from the start of a run to the one at which something was written.
fn say_chain(app: &App, open: &Open, place: Option<(&str, &str)>) -> Option<NodeBlame> {
    let Some((run, node)) = place else {
        app.output.print("\nIt was not written at a step of a workflow.");
        return None;
    };
    let run = SessionReference(run.to_owned());
    let reference = NodeReference { run, node: Some(node.to_owned()) };
    match open.wait(open.runtime.blame_node(&reference)) {
        Ok(blame) => {
            writeln!(app.output, "\nThe steps that led to it, in {}:", blame.label);
            blame.chain.iter().for_each(|link| say_link(app, link));
            Some(blame)
        }
        // The run may be removed or damaged; the thing itself was shown already, so this is only a warning.
        Err(failure) => {
            let envelope = failure.envelope();
            output::warn(format_args!(
                "The run {} cannot be shown: {}",
                reference.run.0, envelope.message
            ));
            None
        }
    }
}

/// Prints a step with what was submitted for it.
pub(super) fn say_link(app: &App, link: &ChainLink) {
    let node = link.node_id.to_string();
    let name = link.title.as_deref().unwrap_or("done");
    let id = link.step.as_deref().map(|step| format!(" ({step})")).unwrap_or_default();
    let age = ago(App::now(), link.at);
    writeln!(app.output, "{}  {name}{id}  {age}", styled(Tone::Faint, ending(&node)));
    for output in &link.outputs {
        writeln!(app.output, "          {}", output_line(output));
    }
    say_decisions(app, &link.decisions, "          ");
    for record in &link.records {
        let record = record.replace('\n', "\n          ");
        writeln!(app.output, "          {} {record}", styled(Tone::Faint, "record:"));
    }
    for BookmarkLink { node_id, at, outputs } in &link.bookmarks {
        let (id, mark) = (node_id.to_string(), styled(Tone::Faint, "bookmark:"));
        let age = ago(App::now(), *at);
        writeln!(app.output, "          {mark} {}  {age}", ending(&id));
        for output in outputs {
            writeln!(app.output, "            {}", output_line(output));
        }
    }
}

fn output_line(output: &OutputShown) -> String {
    let event = output.event;
    if let Some(artifact) = &output.artifact {
        return format!("{}  [event {event}]", artifact_line(artifact));
    }
    let digest = output.digest.to_string();
    let words = output.headline.as_deref().unwrap_or(&output.kind);
    format!("{words}  [{}, event {event}]", ending(&digest))
}
