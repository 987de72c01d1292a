//! `piton workspace diff`, `apply` and `drop`: the changes of an overlay, and their fate.

use std::borrow::Cow;

use clap::Args;
use piton_core::{shell_word, visible};
use piton_runtime::context::PERSON;
use piton_runtime::workspaces::{
    Applied, AppliedOverlay, DifferenceKind, DroppedOverlay, LeftChange, LeftReason, OverlayChange,
    OverlayDiff, OverlayDifference, OverlayReview,
};

use super::WorkspaceArguments;
use super::log::author_text;
use crate::app::{App, Outcome};
use crate::ask::confirm;
use crate::bounds::APPLIED_SHOWN;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::messages::count;
use crate::style::{Tone, styled};

/// Names an overlay.
#[derive(Args)]
pub(crate) struct Overlay {
    /// The prefix of the overlay; may be left out if there is one
    #[arg(default_value = "", hide_default_value = true)]
    prefix: String,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

/// Names paths in an overlay.
#[derive(Args)]
pub(crate) struct OverlayPaths {
    /// Only these files and directories of the overlay [default: all]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
}

#[derive(Args)]
pub(crate) struct DiffOverlay {
    #[command(flatten)]
    overlay: Overlay,
    #[command(flatten)]
    chosen: OverlayPaths,
    /// Only name what changed
    #[arg(long)]
    stat: bool,
}

#[derive(Args)]
pub(crate) struct Apply {
    #[command(flatten)]
    overlay: Overlay,
    #[command(flatten)]
    chosen: OverlayPaths,
    /// Replace what changed below since by what the overlay has; see it first with `piton workspace diff`
    #[arg(long, conflicts_with = "leave_conflicts")]
    replace_changed: bool,
    /// Leave what changed below since in the overlay, and apply the rest; otherwise nothing is applied then
    #[arg(long)]
    leave_conflicts: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Args)]
pub(crate) struct Drop {
    #[command(flatten)]
    overlay: Overlay,
    #[command(flatten)]
    chosen: OverlayPaths,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Heading above the lines of a path that cannot be applied.
const CHANGED_BELOW: &str =
    "changed below since the overlay changed it; the lines with - are below now";

impl DiffOverlay {
    pub(super) fn run(self, app: &App) -> Outcome {
        let (open, world) = self.overlay.chosen.world(app)?;
        let diff = open.wait(world.diff(&self.overlay.prefix, &self.chosen.paths))?;
        if !self.stat {
            for change in &diff.changes {
                let text = change.diff.as_deref().unwrap_or_default();
                if change.difference.changed_below && !text.is_empty() {
                    let what = format!("{}: {CHANGED_BELOW}", change.difference.path);
                    app.output.print(styled(Tone::Attention, what));
                }
                text.lines().for_each(|line| app.output.print(coloured(line)));
            }
        }
        summary(app, &diff);
        app.output.finish("piton.workspace.diff/1", &diff)
    }
}

impl Apply {
    pub(super) fn run(self, app: &App) -> Outcome {
        let (open, world) = self.overlay.chosen.world(app)?;
        let (prefix, paths) = (&self.overlay.prefix, self.chosen.paths);
        // `apply` gets this very diff as what was reviewed: changes that arrive during the question are not applied
        // unseen.
        let diff = open.wait(world.diff(prefix, &paths))?;
        if !self.yes && !diff.changes.is_empty() {
            summary(app, &diff);
            let question = format!("Change {} in {}?", count(diff.total(), "path"), diff.over);
            if !agreed(app, &question, "Nothing was applied.")? {
                return Ok(CommandEnding::Wanting);
            }
        }
        let review = OverlayReview {
            reviewed: diff.reviewed,
            paths,
            replaces_changed: self.replace_changed,
            leaves_conflicts: self.leave_conflicts,
        };
        let applied = open.wait(world.apply(prefix, PERSON, &review))?;
        say_applied(app, &applied);
        app.output.reply("piton.workspace.apply/1", &applied)?;
        // These changes stay in the overlay by design; anything else that stays is a failure to apply.
        let is_expected = |one: &LeftChange| {
            matches!(one.reason, LeftReason::Newer | LeftReason::Protected | LeftReason::NotChosen)
        };
        let Applied { left, stopped, .. } = &applied.applied;
        Ok(if left.iter().all(is_expected) && stopped.is_none() {
            CommandEnding::Done
        } else {
            CommandEnding::Wanting
        })
    }
}

/// Reports what was applied and what was not, with the reasons.
fn say_applied(app: &App, applied: &AppliedOverlay) {
    let AppliedOverlay { overlay, over, applied: Applied { paths, left, stopped } } = applied;
    writeln!(app.output, "Changed {} in {over}.", count(paths.len(), "path"));
    if stopped.is_some() || !left.is_empty() {
        say_some(app, &paths.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    if let Some(error) = stopped {
        let message = error.envelope().message;
        app.output.print(styled(Tone::Bad, format_args!("Stopped: {message}")));
    }
    if left.is_empty() {
        writeln!(app.output, "{overlay} shows what is below again.");
        return;
    }
    let stays = if left.len() == 1 { "stays" } else { "stay" };
    let changes = count(left.len(), "change");
    writeln!(app.output, "{changes} {stays} in {overlay}; nothing was lost:");
    let paths: Vec<_> = left.iter().map(|one| visible(one.path.as_str())).collect();
    let width = widest(&paths);
    let line = |(one, path): (&LeftChange, &Cow<'_, str>)| match one.protected {
        Some(why) => format!("{path:width$}  it is protected{why}"),
        None => format!("{path:width$}  {}", reason_text(one.reason)),
    };
    say_some(app, &left.iter().zip(&paths).map(line).collect::<Vec<_>>());
    app.output
        .advise(format_args!("review: piton workspace diff {}", shell_word(overlay.as_str())));
}

/// Prints the first lines, and the number of the others.
fn say_some(app: &App, lines: &[String]) {
    for line in lines.iter().take(APPLIED_SHOWN) {
        writeln!(app.output, "  {line}");
    }
    if let Some(more @ 1..) = lines.len().checked_sub(APPLIED_SHOWN) {
        writeln!(app.output, "  and {more} more; --json names them all");
    }
}

const fn reason_text(reason: LeftReason) -> &'static str {
    match reason {
        LeftReason::Newer => "written after you looked",
        LeftReason::ChangedBelow => "changed below since the overlay changed it",
        LeftReason::Protected => "protected: agents only read it",
        LeftReason::NotChosen => "not chosen",
        LeftReason::NotReached => "not reached",
    }
}

impl Drop {
    pub(super) fn run(self, app: &App) -> Outcome {
        let (open, world) = self.overlay.chosen.world(app)?;
        let (prefix, paths) = (&self.overlay.prefix, &self.chosen.paths);
        let mut reviewed = None;
        // Paths are looked up also without a question, so that a misspelt one is refused.
        if !self.yes || !paths.is_empty() {
            let diff = open.wait(world.diff(prefix, paths))?;
            reviewed = Some(diff);
        }
        if let (Some(diff), false) = (&reviewed, self.yes) {
            summary(app, diff);
            let question = format!("Forget {} of {}?", count(diff.total(), "change"), diff.overlay);
            let is_empty = diff.changes.is_empty();
            if !is_empty && !agreed(app, &question, "Nothing was dropped.")? {
                return Ok(CommandEnding::Wanting);
            }
        }
        let reviewed = reviewed.as_ref().map(|diff| &*diff.reviewed);
        let dropped = open.wait(world.drop_overlay(prefix, paths, reviewed))?;
        let DroppedOverlay { overlay, over, left, .. } = &dropped;
        let changes = count(dropped.changes, "change");
        if paths.is_empty() {
            writeln!(app.output, "Forgot {changes} of {overlay}. It shows {over} again.");
        } else {
            writeln!(app.output, "Forgot {changes} of {overlay}. The others stay.");
        }
        let newer = reason_text(LeftReason::Newer);
        let left = left.iter().map(|path| format!("{}  {newer}", visible(path.as_str())));
        say_some(app, &left.collect::<Vec<_>>());
        app.output.finish("piton.workspace.drop/1", &dropped)
    }
}

/// Asks for agreement; `otherwise` is the message that nothing happened.
fn agreed(app: &App, question: &str, otherwise: &str) -> Result<bool, Failure> {
    match confirm(question) {
        Some(true) => Ok(true),
        Some(false) => {
            app.output.print(otherwise);
            Ok(false)
        }
        None => Err(Failure::refused(
            format!("Nobody is there to be asked. {otherwise}"),
            "Add --yes if you are sure; `piton workspace diff` shows what would change.",
        )),
    }
}

/// Prints a line for each path, and the next commands.
fn summary(app: &App, diff: &OverlayDiff) {
    let output = &app.output;
    if diff.changes.is_empty() {
        writeln!(output, "{} changes nothing in {}.", diff.overlay, diff.over);
        return;
    }
    let paths: Vec<_> =
        diff.changes.iter().map(|change| visible(change.difference.path.as_str())).collect();
    let width = widest(&paths);
    for (change, path) in diff.changes.iter().zip(&paths) {
        let by = change.by.as_ref().map(|record| author_text(&record.intent)).unwrap_or_default();
        let lines = lines(change);
        let line = format!("{} {path:width$}  {lines:<9}  {by}", letter(change.difference.kind));
        let line = line.trim_end();
        if change.difference.changed_below {
            let below = styled(Tone::Attention, "changed below since");
            writeln!(output, "{line}  {below}");
        } else {
            output.print(line);
        }
    }
    if diff.left_out > 0 {
        writeln!(output, "{} more changed paths are not shown.", diff.left_out);
    }
    let overlay = shell_word(diff.overlay.as_str());
    let drop = format!("drop: piton workspace drop {overlay}");
    match diff.changes.iter().filter(|change| change.difference.changed_below).count() {
        0 => output.advise(format_args!("apply: piton workspace apply {overlay}      {drop}")),
        all if all == diff.total() => {
            output.print(
                "What changed below since cannot be applied. Bring it in by hand, then drop it.",
            );
            output.advise(drop);
        }
        _ => {
            output.print("What changed below since cannot be applied, but the rest can.");
            output.advise(format_args!(
                "apply: piton workspace apply {overlay} --leave-conflicts      {drop}"
            ));
        }
    }
}

/// Returns the width of the widest text, in characters.
fn widest(texts: &[Cow<'_, str>]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0) // tidy: chars: shown to a person
}

const fn letter(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::Added => "A",
        DifferenceKind::Modified => "M",
        DifferenceKind::Deleted => "D",
        DifferenceKind::Directory => "+",
    }
}

fn lines(change: &OverlayChange) -> String {
    let OverlayDifference { kind, executable, .. } = change.difference;
    let lines = match (kind, change.added, change.removed) {
        (DifferenceKind::Directory, ..) => "directory".to_owned(),
        (_, 0, 0) => String::new(),
        (_, added, 0) => format!("+{added}"),
        (_, 0, removed) => format!("-{removed}"),
        (_, added, removed) => format!("+{added} -{removed}"),
    };
    // In the notation of `chmod`.
    let mode = executable.map_or("", |executable| if executable { " +x" } else { " -x" });
    format!("{lines}{mode}").trim_start().to_owned()
}

fn coloured(line: &str) -> String {
    match line.as_bytes().first() {
        Some(b'+') => styled(Tone::Good, line).to_string(),
        Some(b'-') => styled(Tone::Bad, line).to_string(),
        Some(b'@') => styled(Tone::Faint, line).to_string(),
        _ => visible(line).into_owned(),
    }
}
