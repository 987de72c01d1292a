//! Inspection of a project: scan, status, checks, trees and their differences, reports, agents.

use clap::Args;
use piton_runtime::context::{
    AgentId, ChangeKind, ConfiguredAgent, ContextRepaired, ContextStatus, FrameType, Label,
    ProjectContext, RecordedScan, Remedy, RootRef, SetAside, StaleFrame, TreePath, TypeStatus,
    Validation,
};
use serde::Serialize;
use serde_json::json;

use super::project_session::ProjectSession;
use crate::app::{App, Outcome};
use crate::bounds::STALE_SHOWN;
use crate::exit::CommandEnding;
use crate::messages::{ago, count, short};
use crate::progress::Progress;
use crate::style::Tone;
use crate::table::Cell;

#[derive(Args)]
pub(crate) struct Scan {
    /// Read every file again, whatever is remembered of it
    #[arg(long)]
    force: bool,
    /// Call the tree this, to name it later
    #[arg(long, value_name = "NAME")]
    label: Option<Label>,
}

impl Scan {
    pub(super) fn run(self, app: &App) -> Outcome {
        let session = ProjectSession::new(app)?;
        let directory = app.display_path(session.project.context.location().directory());
        let progress = Progress::begin(app, &format!("Scanning {directory}"));
        let found =
            session.open.wait(session.project.context.scan(self.force, self.label.as_ref()))?;
        drop(progress);
        say_scan(app, &found);
        app.output.reply("piton.context.scan/1", &found)?;
        Ok(if found.report.is_partial() { CommandEnding::Wanting } else { CommandEnding::Done })
    }
}

fn say_scan(app: &App, found: &RecordedScan) {
    let RecordedScan { sequence, report, .. } = found;
    let of_files = count(found.files, "file");
    let how = if found.is_new { "Recorded" } else { "Nothing changed since" };
    writeln!(app.output, "{how} tree {sequence} {}: {of_files}.", short(&found.root.to_string()));
    if found.is_new {
        let changes: Vec<String> =
            found.changes.iter().map(|(change, count)| format!("{count} {change}")).collect();
        writeln!(app.output, "Paths: {}.", changes.join(", "));
    }
    if found.adopted > 0 {
        writeln!(app.output, "{} went along with what was renamed.", count(found.adopted, "frame"));
    }
    writeln!(
        app.output,
        "Read {} ({} bytes), knew {}, left out {} by ignore rules.",
        count(report.hashed_files, "file"),
        report.hashed_bytes,
        report.reused_files,
        report.ignored_entries,
    );
    if report.is_partial() {
        writeln!(
            app.output,
            "The tree is partial: {} could not be read.",
            count(report.problem_count, "entry")
        );
        for problem in &report.problems {
            writeln!(app.output, "  {}: {}", problem.path, problem.detail);
        }
    }
    app.output.advise("See what is fresh: piton context status");
}

pub(super) fn status(app: &App) -> Outcome {
    let session = ProjectSession::new(app)?;
    let found = session.open.wait(session.project.context.status())?;
    say_status(app, &session.project, &found);
    app.output.finish("piton.context.status/1", &found)
}

fn say_status(app: &App, project: &ProjectContext, found: &ContextStatus) {
    let root = &found.report.root;
    let digest = root.root.to_string();
    let partial = if root.partial { ", partial" } else { "" };
    writeln!(
        app.output,
        "Tree {} {}{partial}: {}, {}, recorded {}.",
        root.sequence,
        short(&digest),
        count(root.totals.files, "file"),
        count(root.totals.directories, "directory"),
        ago(App::now(), root.recorded_at_ms),
    );
    if found.types.is_empty() && found.report.left_behind == 0 {
        app.output.print("It has no frames yet.");
        app.output.advise(
            "Put one: piton context put-frame README.md --type summary --text \"What it says.\"",
        );
        return;
    }
    let heads = ["FRAMES", "BY", "FRESH", "STALE", "MISSING"];
    let rows: Vec<_> = found.types.iter().map(row).collect();
    app.output.table(heads, &rows);
    for stale in found.report.stale.iter().take(STALE_SHOWN) {
        writeln!(app.output, "stale: {} {}: {}", stale.path, stale.frame_type, stale.reason);
    }
    let more = found.report.stale.len().saturating_sub(STALE_SHOWN);
    if more > 0 {
        app.output.advise(format_args!("and {more} more; all of them: piton context report"));
    }
    if found.report.left_behind > 0 {
        let paths: Vec<String> =
            found.report.left_behind_at.iter().map(ToString::to_string).collect();
        writeln!(
            app.output,
            "{} at paths that are gone, for example {}.",
            count(found.report.left_behind, "frame"),
            paths.join(", ")
        );
        app.output.advise("Give them to where the file is now: piton context adopt OLD NEW");
    }
    if let Some(reason) = &found.report.unchecked {
        writeln!(app.output, "Freshness was not checked: {reason}.");
        return;
    }
    app.output.advise(match next_to_fix(&found.report.stale) {
        Some(StaleFrame { remedy, path, frame_type, agent, .. }) => {
            fix(project, *remedy, path, frame_type, agent)
        }
        None => "Everything that is there is fresh. Read it: piton context compose PATH".to_owned(),
    });
}

/// Returns the frame to fix first: one that a person or an agent writes, since it depends on no other; else the
/// deepest, since a frame is made from the frames of what its directory contains.
fn next_to_fix(stale: &[StaleFrame]) -> Option<&StaleFrame> {
    let written = stale.iter().find(|stale| stale.remedy == Remedy::Put);
    written.or_else(|| stale.iter().max_by_key(|stale| stale.path.depth()))
}

/// Returns the command that makes a frame fresh again.
pub(super) fn fix(
    project: &ProjectContext,
    remedy: Remedy,
    path: &TreePath,
    frame_type: &FrameType,
    agent: &AgentId,
) -> String {
    let place = project.context.location().shell_word(path);
    match remedy {
        Remedy::Put => format!(
            "Write it again: piton context put-frame {place} --type {frame_type} --text \"What it says now.\""
        ),
        Remedy::Generate => {
            let settings = project.settings.agent(agent);
            // An agent with a prompt of its own needs none on the command line.
            let asks = settings.is_some_and(|settings| settings.prompt.is_some());
            let agent = settings.map(|_| format!(" --agent {agent}")).unwrap_or_default();
            let prompt = if asks { "" } else { " --prompt \"What is it for?\"" };
            format!(
                "Let a model write it again: piton context generate {place} --type {frame_type}{agent}{prompt}"
            )
        }
        Remedy::Regenerate => {
            "Regenerate what was synthesised: piton context regenerate".to_owned()
        }
        Remedy::RegenerateEverything => {
            "Regenerate what was synthesised: piton context regenerate --everything".to_owned()
        }
    }
}

fn row(line: &TypeStatus) -> [Cell; 5] {
    let stale = match line.stale {
        0 => "0".into(),
        stale => Cell::of(Tone::Attention, stale.to_string()),
    };
    [
        line.frame_type.to_string().into(),
        line.agent.to_string().into(),
        Cell::of(Tone::Good, line.fresh.to_string()),
        stale,
        line.missing.to_string().into(),
    ]
}

pub(super) fn validate(app: &App) -> Outcome {
    let session = ProjectSession::new(app)?;
    let progress = Progress::begin(app, "Checking everything that is stored");
    let found = session.open.wait(session.project.context.validate())?;
    drop(progress);
    writeln!(
        app.output,
        "Checked {}, {}, {} and {}.",
        count(found.roots, "tree"),
        count(found.nodes, "tree node"),
        count(found.frames, "frame"),
        count(found.heads, "head"),
    );
    for damage in &found.damage {
        writeln!(app.output, "{}: {}: {}", damage.kind, damage.what, damage.detail);
    }
    app.output.advise(if found.is_sound() {
        "Nothing is damaged."
    } else {
        "It is damaged. Fix it: piton context repair"
    });
    app.output.verdict("piton.context.validate/1", &found, found.is_sound())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepairShown {
    is_sound: bool,
    repaired: ContextRepaired,
    validation: Validation,
}

pub(super) fn repair(app: &App) -> Outcome {
    let session = ProjectSession::new(app)?;
    let progress = Progress::begin(app, "Reading every file");
    let (repaired, validation) = session.open.wait(session.project.context.repair_from_disk())?;
    drop(progress);
    let output = &app.output;
    if repaired.rewritten > 0 {
        let nodes = count(repaired.rewritten, "tree node");
        writeln!(output, "Written again from the files: {nodes}.");
    }
    if !repaired.rebuilt.is_empty() {
        let rows = count(repaired.rebuilt.len(), "entry");
        writeln!(output, "Rebuilt from what is intact: {rows}.");
    }
    say_set_aside(app, &repaired.taken);
    for kept in &repaired.contents {
        writeln!(output, "A damaged content is out of use and kept: {kept}");
    }
    for damage in &validation.damage {
        writeln!(output, "{}: {}: {}", damage.kind, damage.what, damage.detail);
    }
    let is_sound = validation.is_sound();
    output.advise(match (is_sound, repaired.taken.is_empty()) {
        (true, true) => "Nothing is damaged.",
        (true, false) => {
            "Nothing is damaged any more. A frame that was taken out can be put again: piton context put-frame"
        }
        (false, _) => {
            "What is named above was damaged while the repair ran. Run it again: piton context repair"
        }
    });
    let shown = RepairShown { is_sound, repaired, validation };
    output.verdict("piton.context.repair/2", &shown, is_sound)
}

fn say_set_aside(app: &App, taken: &[SetAside]) {
    for row in taken.iter().take(STALE_SHOWN) {
        let kept = match row.bytes {
            0 => "it was missing".to_owned(),
            bytes => format!("{bytes} bytes are kept"),
        };
        writeln!(app.output, "Taken out of use: {}; {kept}.", row.what);
    }
    let more = taken.len().saturating_sub(STALE_SHOWN);
    if more > 0 {
        app.output
            .advise(format_args!("and {more} more; all of them: piton context repairs --json"));
    }
}

pub(super) fn repairs(app: &App) -> Outcome {
    let session = ProjectSession::new(app)?;
    let taken = session.open.wait(session.project.context.set_aside())?;
    if taken.is_empty() {
        app.output.print("Nothing was taken out of the context of this project.");
    } else {
        say_set_aside(app, &taken);
        app.output.advise(
            "Piton keeps these in the table. A frame can be put again: piton context put-frame",
        );
    }
    app.output.finish("piton.context.repairs/1", &json!({ "setAside": taken }))
}

pub(super) fn history(app: &App) -> Outcome {
    let session = ProjectSession::new(app)?;
    let mut trees = session.open.wait(session.project.context.roots())?;
    // Newest first, so that the position in the list is the number in `@-N`.
    trees.reverse();
    let now = App::now();
    for (back, tree) in trees.iter().enumerate() {
        let name = if back == 0 { "@".to_owned() } else { format!("@-{back}") };
        writeln!(
            app.output,
            "{name}  {}  {}, {}",
            short(&tree.root.to_string()),
            count(tree.totals.files, "file"),
            ago(now, tree.recorded_at_ms),
        );
    }
    app.output.advise(if trees.is_empty() {
        "No tree is recorded. Record one: piton context scan"
    } else {
        "Compare one with the newest: piton context diff @-1"
    });
    app.output.finish("piton.context.history/1", &json!({ "trees": trees }))
}

pub(super) fn agents(app: &App) -> Outcome {
    let session = ProjectSession::new(app)?;
    let agents = session.project.agents();
    for agent in &agents {
        let ConfiguredAgent { name, role, provider, model, is_served, .. } = agent;
        let served = if *is_served { ", clients act as it" } else { "" };
        let model = match (provider, model) {
            (None, None) => String::new(),
            (provider, model) => {
                let named = [provider.as_deref(), model.as_deref()];
                format!(", asks {}", named.into_iter().flatten().collect::<Vec<_>>().join(" "))
            }
        };
        writeln!(app.output, "{name}: {role}{model}{served}");
    }
    app.output.advise(match (agents.is_empty(), agents.iter().any(|agent| agent.is_served)) {
        (true, _) => "No agent is configured. Add one to piton.toml with [[context.agents]].",
        (_, true) => "Act as one: piton context --agent NAME …",
        (_, false) => "Clients act as nobody. Say whom in piton.toml: [context] agent = \"…\"",
    });
    app.output.finish("piton.context.agents/1", &json!({ "agents": agents }))
}

piton_core::closed_set! {
    /// What makes a report fail.
    pub(crate) enum FailOn {
        /// A stale frame.
        Stale => "stale",
        /// A node without any frame.
        Missing => "missing",
    }
}

#[derive(Args)]
pub(crate) struct DiffContext {
    /// The older tree [default: the one before the newest]
    old: Option<RootRef>,
    /// The newer tree [default: the newest]
    new: Option<RootRef>,
}

impl DiffContext {
    pub(super) fn run(self, app: &App) -> Outcome {
        let session = ProjectSession::new(app)?;
        let (old, new) = (self.old.unwrap_or(RootRef::Back(1)), self.new.unwrap_or_default());
        let found = session.open.wait(session.project.context.differences(&old, &new))?;
        writeln!(
            app.output,
            "From tree {} {} to tree {} {}:",
            found.old.sequence,
            short(&found.old.root.to_string()),
            found.new.sequence,
            short(&found.new.root.to_string()),
        );
        for change in &found.changes {
            match &change.renamed_from {
                Some(from) => writeln!(app.output, "renamed  {from} -> {}", change.path),
                None => writeln!(app.output, "{:<8} {}", change.change, change.path),
            }
        }
        for frame in &found.frames {
            let which = match frame.change {
                ChangeKind::Added => "for the newer",
                _ => "for the older",
            };
            writeln!(
                app.output,
                "frame    {} {} by {}, {which}",
                frame.path, frame.frame_type, frame.agent
            );
        }
        writeln!(
            app.output,
            "{} and {} differ.",
            count(found.changes.len(), "path"),
            count(found.frames.len(), "frame")
        );
        app.output.finish("piton.context.diff/1", &found)
    }
}

#[derive(Args)]
pub(crate) struct ReportContext {
    /// Judge against this tree [default: the newest]
    #[arg(long, value_name = "TREE")]
    at: Option<RootRef>,
    /// Print Markdown, as pull requests show it
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// End with code 1 if something is stale, or if a node has no frame: stale or missing
    #[arg(long, value_name = "WHAT")]
    fail_on: Vec<FailOn>,
}

impl ReportContext {
    pub(super) fn run(self, app: &App) -> Outcome {
        let session = ProjectSession::new(app)?;
        let report =
            session.open.wait(session.project.context.report(&self.at.unwrap_or_default()))?;
        let text = if self.markdown { report.markdown() } else { report.text() };
        app.output.print(text.trim_end());
        let failed = self.fail_on.iter().any(|what| match what {
            // Frames that could not be checked may be stale, so the report does not pass.
            FailOn::Stale => !report.stale.is_empty() || report.unchecked.is_some(),
            FailOn::Missing => report.nodes_with_frames < report.nodes,
        });
        app.output
            .reply("piton.context.report/1", &json!({ "report": report, "failed": failed }))?;
        Ok(if failed { CommandEnding::Wanting } else { CommandEnding::Done })
    }
}
