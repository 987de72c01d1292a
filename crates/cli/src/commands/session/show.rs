//! `piton session show`, `piton session tree` and `piton session artifact`.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::Args;
use piton_core::budget::TRUNCATION_MARKER;
use piton_core::shorten;
use piton_runtime::provenance::NodeReference;
use piton_runtime::reply::{
    ArtifactShown, BlockShown, BookmarkShown, DecisionShown, GapShown, RunShown, SessionArtifact,
    SessionShown, StepShown,
};
use piton_runtime::workflow::{DecisionKind, PersonDecision};

use crate::app::{App, Outcome};
use crate::arguments::{LatestRun, RunArgument};
use crate::bounds::ARTIFACT_LINE_BYTES_MAX;
use crate::complete;
use crate::files;
use crate::messages::{ago, indented};
use crate::output;
use crate::style::{Tone, styled};
use crate::tree::{self, ending};

#[derive(Args)]
pub(crate) struct ShowSession {
    /// The run: its two-word name, its id, the id of its session, or the end of either id; after `@` a node or the id of
    /// a step, to show the path to it [default: the most recently active run]
    #[arg(value_name = "RUN[@NODE]", add = complete::runs())]
    run: Option<NodeReference>,
}

impl ShowSession {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let shown = open.wait(open.runtime.show_node(&open.node_or_latest(self.run)?))?;
        open.log.about(shown.session_id);
        for run in &shown.runs {
            print(app, &shown, run);
        }
        app.output.finish("piton.session.show/1", &shown)
    }
}

fn print(app: &App, session: &SessionShown, run: &RunShown) {
    let output = &app.output;
    let summary = &run.summary;
    let place = summary.step.as_ref().map_or_else(
        || "done".to_owned(),
        |step| format!("step {} of {}: {}", step.number, step.of, step.title.as_str()),
    );
    let kept = if session.kept { ", kept past its retention time" } else { "" };
    let preferences = run.preferences;
    writeln!(output, "{} · {} · {place}", summary.label, summary.workflow.id);
    writeln!(output, "{}\n", summary.title);
    writeln!(output, "  session  {}{kept}", summary.session_id);
    writeln!(output, "  run      {}", summary.run_id);
    writeln!(output, "  last     {}", ago(App::now(), summary.active_at));
    writeln!(output, "  prefers  {}, {}", preferences.autonomy, preferences.risk_policy);
    if let Some(node) = &run.node_id {
        let node = node.to_string();
        writeln!(output, "  shown    the path to {}, not to the current step", ending(&node));
    }
    if let Some(branch) = &summary.surroundings.branch {
        writeln!(output, "  branch   {branch}");
    }
    if run.left_out > 0 {
        writeln!(output, "\n{} earlier steps are left out, also with --json.", run.left_out);
    }
    for (place, step) in run.steps.iter().enumerate() {
        // The numbers continue after the steps that are left out.
        say_step(app, place + 1 + run.left_out, step);
    }
    let has_artifacts = |step: &StepShown| {
        !step.artifacts.is_empty() || step.bookmarked.iter().any(|one| !one.artifacts.is_empty())
    };
    if run.steps.iter().any(has_artifacts) {
        output.advise(format_args!(
            "\nShow a whole artifact: piton session artifact {} ARTIFACT",
            summary.label
        ));
    }
    output.advise(format_args!("\nShow its branches: piton session tree {}", summary.label));
}

fn say_step(app: &App, place: usize, step: &StepShown) {
    let output = &app.output;
    let title = step.title.as_deref().unwrap_or("done");
    writeln!(output, "\n{place}. {title}");
    for (message, count) in distinct(&step.blocks) {
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        let message = message.replace('\n', "\n     ");
        writeln!(output, "   {} {message}{times}", styled(Tone::Attention, "✗"));
    }
    // A block leaves a gap with the same words, possibly cut. Such gaps are not repeated.
    let is_new = |gap: &&GapShown| {
        let cut = gap.summary.trim_end_matches(TRUNCATION_MARKER);
        step.blocks.iter().all(|block| !block.message.starts_with(cut))
    };
    for gap in step.gaps.iter().filter(is_new) {
        let mark =
            if gap.is_open { styled(Tone::Bad, "gap:") } else { styled(Tone::Faint, "settled:") };
        writeln!(output, "   {mark} {}", gap.summary.replace('\n', "\n     "));
    }
    say_decisions(app, &step.decisions, "   ");
    if let Some(notes) = &step.notes {
        output.print(indented(notes, "   "));
    }
    for artifact in &step.artifacts {
        let mark = styled(Tone::Faint, "artifact:");
        writeln!(output, "   {mark} {}", artifact_line(artifact));
    }
    for record in &step.records {
        let record = record.replace('\n', "\n     ");
        writeln!(output, "   {} {record}", styled(Tone::Faint, "record:"));
    }
    for bookmark in &step.bookmarked {
        say_bookmark(app, bookmark);
    }
}

fn say_bookmark(app: &App, bookmark: &BookmarkShown) {
    let (mark, age) = (styled(Tone::Faint, "bookmark:"), ago(App::now(), bookmark.at));
    writeln!(app.output, "   {mark} {age}");
    if let Some(notes) = &bookmark.notes {
        app.output.print(indented(notes, "     "));
    }
    for artifact in &bookmark.artifacts {
        let mark = styled(Tone::Faint, "artifact:");
        writeln!(app.output, "     {mark} {}", artifact_line(artifact));
    }
}

/// Prints the decision that counts, and the earlier ones below it.
pub(crate) fn say_decisions(app: &App, decisions: &[DecisionShown], indent: &str) {
    let words = |shown: &DecisionShown| {
        let PersonDecision { decision, text } = &shown.decision;
        let text =
            text.as_ref().map(|text| format!(": {}", text.replace('\n', &format!("\n{indent}  "))));
        format!("{decision}{}, {}", text.unwrap_or_default(), ago(App::now(), shown.at))
    };
    for (place, shown) in decisions.iter().enumerate() {
        if place == 0 {
            let state = match shown.decision.decision {
                DecisionKind::Refused => Tone::Bad,
                DecisionKind::Approved | DecisionKind::Answered => Tone::Good,
            };
            let name = shown.by.as_ref().map_or("a person", |name| name.as_str());
            let mark = styled(state, name);
            writeln!(app.output, "{indent}{mark} {}", words(shown));
        } else {
            let mark = styled(Tone::Faint, "before that");
            writeln!(app.output, "{indent}  {mark} {}", words(shown));
        }
    }
}

/// Formats an artifact in one line.
pub(crate) fn artifact_line(artifact: &ArtifactShown) -> String {
    let ArtifactShown { digest, bytes, kind, content, unreadable, .. } = artifact;
    let kind = kind.as_deref().unwrap_or("of unknown kind");
    let digest = digest.to_string();
    let digest = ending(&digest);
    let words = match (content, unreadable) {
        (_, Some(why)) => format!("cannot be read: {why}"),
        (Some(content), None) => {
            shorten(&content.to_string(), ARTIFACT_LINE_BYTES_MAX).into_owned()
        }
        (None, None) => "too large to show here".to_owned(),
    };
    format!("{kind}, {bytes} bytes [{digest}]  {words}")
}

/// Returns the reasons for which a step was sent back, each once, with the number of times that it was given.
fn distinct(blocks: &[BlockShown]) -> Vec<(&str, usize)> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for block in blocks {
        match reasons.iter_mut().find(|(message, _)| *message == block.message) {
            Some((_, count)) => *count += 1,
            None => reasons.push((&block.message, 1)),
        }
    }
    reasons
}

#[derive(Args)]
pub(crate) struct Tree {
    #[command(flatten)]
    run: LatestRun,
    /// Show the end of each node's id, which names it for `fork`, `diff` and `blame`
    #[arg(long)]
    ids: bool,
}

impl Tree {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let drawn = open.wait(open.runtime.run_tree(&open.run_or_latest(self.run.run)?))?;
        open.log.about(drawn.summary.session_id);
        for line in tree::lines(&drawn.nodes, self.ids) {
            app.output.print(line);
        }
        app.output.finish("piton.session.tree/1", &drawn)
    }
}

#[derive(Args)]
pub(crate) struct Artifact {
    #[command(flatten)]
    run: RunArgument,
    /// The artifact: its digest or output id, the end of either, or its kind
    #[arg(value_name = "ARTIFACT")]
    reference: String,
    /// Write it to this file; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,
}

impl Artifact {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let found = open.runtime.session_artifact(&self.run.run, self.reference.trim());
        let artifact = open.wait(found)?;
        open.log.about(artifact.session_id);
        let SessionArtifact { content, digest, .. } = &artifact;
        let text = format!("{content:#}\n");
        let file = self.output.as_deref().filter(|file| !files::is_standard(file));
        if let Some(file) = file {
            files::write(file, text.as_bytes(), self.force)?;
            writeln!(app.output, "Wrote {digest} to {}.", file.display());
        // Text of an agent is escaped on a terminal; a pipe gets the exact bytes.
        } else if io::stdout().is_terminal() {
            app.output.print(text.trim_end());
        } else if !app.output.is_json() {
            output::bytes(text.as_bytes())?;
        }
        app.output.finish("piton.session.artifact/1", &artifact)
    }
}
