//! `piton session show`.

use clap::Args;
use piton_core::{budget::TRUNCATION_MARKER, shorten};
use piton_runtime::provenance::NodeReference;
use piton_runtime::reply::{
    ArtifactShown, BlockShown, BookmarkShown, DecisionShown, GapShown, RunShown, SessionShown,
    StepShown,
};
use piton_workflow::projection::{DecisionKind, PersonDecision};

use crate::{
    age::ago,
    app::App,
    bounds::ARTIFACT_LINE_BYTES_MAX,
    exit::CommandEnding,
    failure::Failure,
    messages::indented,
    style::{Tone, styled},
    tree::ending,
};

#[derive(Args)]
pub(crate) struct ShowSession {
    /// The run: its two words, its id, the id of its session, or the end of an id; after `@` a node or the id of a step,
    /// to show the way to it
    #[arg(value_name = "RUN[@NODE]")]
    run: NodeReference,
}

impl ShowSession {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let shown = open.wait(open.runtime.show_node(&self.run))?;
        open.log.about(shown.session_id);
        for run in &shown.runs {
            print(app, &shown, run);
        }
        app.output.reply("piton.session.show/1", &shown)?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, session: &SessionShown, run: &RunShown) {
    let output = &app.output;
    let summary = &run.summary;
    let place = summary.step.as_ref().map_or_else(
        || "done".to_owned(),
        |step| format!("step {} of {}: {}", step.number, step.of, step.title.as_str()),
    );
    let kept = if session.kept { ", kept when its time is over" } else { "" };
    let preferences = run.preferences;
    output.print(format_args!("{} · {} · {place}", summary.label, summary.workflow.id));
    output.print(format_args!("{}\n", summary.title));
    output.print(format_args!("  session  {}{kept}", summary.session_id));
    output.print(format_args!("  run      {}", summary.run_id));
    output.print(format_args!("  last     {}", ago(App::now(), summary.active_at)));
    output.print(format_args!("  prefers  {}, {}", preferences.autonomy, preferences.risk_policy));
    if let Some(node) = &run.node_id {
        let node = node.to_string();
        output
            .print(format_args!("  shown    the way to {}, not to where it stands", ending(&node)));
    }
    if let Some(branch) = &summary.surroundings.branch {
        output.print(format_args!("  branch   {branch}"));
    }
    if run.left_out > 0 {
        output.print(format_args!(
            "\n{} earlier steps are left out; --json has no more either.",
            run.left_out
        ));
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
            "\nAn artifact whole: piton session artifact {} ARTIFACT",
            summary.label
        ));
    }
    output.advise(format_args!("\nIts branches: piton session tree {}", summary.label));
}

fn say_step(app: &App, place: usize, step: &StepShown) {
    let output = &app.output;
    let title = step.title.as_deref().unwrap_or("done");
    output.print(format_args!("\n{place}. {title}"));
    for (message, count) in told_once(&step.blocks) {
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        let message = message.replace('\n', "\n     ");
        output.print(format_args!("   {} {message}{times}", styled(Tone::Attention, "✗")));
    }
    // A block leaves a gap with the same words, possibly cut. Such gaps are not repeated.
    let is_told = |gap: &&GapShown| {
        let cut = gap.summary.trim_end_matches(TRUNCATION_MARKER);
        step.blocks.iter().all(|block| !block.message.starts_with(cut))
    };
    for gap in step.gaps.iter().filter(is_told) {
        let mark =
            if gap.is_open { styled(Tone::Bad, "gap:") } else { styled(Tone::Faint, "settled:") };
        output.print(format_args!("   {mark} {}", gap.summary.replace('\n', "\n     ")));
    }
    say_decisions(app, &step.decisions, "   ");
    if let Some(notes) = &step.notes {
        output.print(indented(notes, "   "));
    }
    for artifact in &step.artifacts {
        let mark = styled(Tone::Faint, "artifact:");
        output.print(format_args!("   {mark} {}", artifact_line(artifact)));
    }
    for record in &step.records {
        let record = record.replace('\n', "\n     ");
        output.print(format_args!("   {} {record}", styled(Tone::Faint, "record:")));
    }
    for bookmark in &step.bookmarked {
        say_bookmark(app, bookmark);
    }
}

fn say_bookmark(app: &App, bookmark: &BookmarkShown) {
    let (mark, age) = (styled(Tone::Faint, "bookmark:"), ago(App::now(), bookmark.at));
    app.output.print(format_args!("   {mark} {age}"));
    if let Some(notes) = &bookmark.notes {
        app.output.print(indented(notes, "     "));
    }
    for artifact in &bookmark.artifacts {
        let mark = styled(Tone::Faint, "artifact:");
        app.output.print(format_args!("     {mark} {}", artifact_line(artifact)));
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
            let mark = styled(state, "a person");
            app.output.print(format_args!("{indent}{mark} {}", words(shown)));
        } else {
            let mark = styled(Tone::Faint, "before that");
            app.output.print(format_args!("{indent}  {mark} {}", words(shown)));
        }
    }
}

/// Formats an artifact in one line.
pub(crate) fn artifact_line(artifact: &ArtifactShown) -> String {
    let ArtifactShown { digest, bytes, kind, content, unreadable, .. } = artifact;
    let kind = kind.as_deref().unwrap_or("of unknown kind");
    let digest = digest.to_string();
    let digest = ending(&digest);
    let told = match (content, unreadable) {
        (_, Some(why)) => format!("cannot be read: {why}"),
        (Some(content), None) => {
            shorten(&content.to_string(), ARTIFACT_LINE_BYTES_MAX).into_owned()
        }
        (None, None) => "too large to be shown here".to_owned(),
    };
    format!("{kind}, {bytes} bytes [{digest}]  {told}")
}

/// Returns the reasons for which a step was sent back, each once, with the number of times that it was given.
fn told_once(blocks: &[BlockShown]) -> Vec<(&str, usize)> {
    let mut told: Vec<(&str, usize)> = Vec::new();
    for block in blocks {
        match told.iter_mut().find(|(message, _)| *message == block.message) {
            Some((_, count)) => *count += 1,
            None => told.push((&block.message, 1)),
        }
    }
    told
}
