//! `piton workspace diff`, `apply` and `drop`: what an overlay changed, and what becomes of it.

use clap::Args;
use piton_runtime::{
    files::{ChangeShown, DifferenceKind, OverlayDiff},
    frames::PERSON,
};

use super::{Chosen, log::who};
use crate::{
    app::App,
    ask::confirm,
    exit::Ending,
    failure::Failure,
    style::{State, styled},
    words::count,
};

/// Names an overlay.
#[derive(Args)]
pub(crate) struct Overlay {
    /// The prefix of the overlay; may be left out if there is one
    #[arg(default_value = "", hide_default_value = true)]
    prefix: String,
    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    overlay: Overlay,
    /// Only name what changed
    #[arg(long)]
    stat: bool,
}

#[derive(Args)]
pub(crate) struct Apply {
    #[command(flatten)]
    overlay: Overlay,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Args)]
pub(crate) struct Drop {
    #[command(flatten)]
    overlay: Overlay,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Diff {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let (open, world) = self.overlay.chosen.world(app)?;
        let diff = open.wait(world.diff(&self.overlay.prefix))?;
        if !self.stat {
            for text in diff.changes.iter().filter_map(|change| change.diff.as_deref()) {
                text.lines().for_each(|line| app.output.say(coloured(line)));
            }
        }
        summary(app, &diff);
        app.output.reply("piton.workspace.diff/1", &diff)?;
        Ok(Ending::Done)
    }
}

impl Apply {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let (open, world) = self.overlay.chosen.world(app)?;
        let prefix = &self.overlay.prefix;
        let diff = open.wait(world.diff(prefix))?;
        if !self.yes && !diff.changes.is_empty() {
            summary(app, &diff);
            let question = format!("Change {} in {}?", count(diff.total(), "path"), diff.over);
            if !agreed(app, &question, "Nothing was applied.")? {
                return Ok(Ending::Wanting);
            }
        }
        let applied = open.wait(world.apply(prefix, PERSON))?;
        let changed = count(applied.paths.len(), "path");
        app.output.say(format_args!("Changed {changed} in {}.", applied.over));
        if applied.left.is_empty() {
            app.output.say(format_args!("{} shows what is below again.", applied.overlay));
        } else {
            let left = count(applied.left.len(), "change");
            app.output.say(format_args!("Left {left} in {}:", applied.overlay));
            for one in &applied.left {
                app.output.say(format_args!("  {}: {}.", one.path, one.reason));
            }
        }
        app.output.reply("piton.workspace.apply/1", &applied)?;
        Ok(Ending::Done)
    }
}

impl Drop {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let (open, world) = self.overlay.chosen.world(app)?;
        let prefix = &self.overlay.prefix;
        if !self.yes {
            let diff = open.wait(world.diff(prefix))?;
            summary(app, &diff);
            let question = format!("Forget {} of {}?", count(diff.total(), "change"), diff.overlay);
            let is_empty = diff.changes.is_empty();
            if !is_empty && !agreed(app, &question, "Nothing was dropped.")? {
                return Ok(Ending::Wanting);
            }
        }
        let dropped = open.wait(world.drop_overlay(prefix))?;
        app.output.say(format_args!(
            "Forgot {} of {}. It shows {} again.",
            count(dropped.changes, "change"),
            dropped.overlay,
            dropped.over
        ));
        app.output.reply("piton.workspace.drop/1", &dropped)?;
        Ok(Ending::Done)
    }
}

/// Whether the person agrees; `otherwise` says that nothing happened.
fn agreed(app: &App, question: &str, otherwise: &str) -> Result<bool, Failure> {
    match confirm(question) {
        Some(true) => Ok(true),
        Some(false) => {
            app.output.say(otherwise);
            Ok(false)
        }
        None => Err(Failure::refused(
            format!("Nobody is there to be asked. {otherwise}"),
            "Add --yes if you are sure; `piton workspace diff` shows what it is about.",
        )),
    }
}

/// A line for each path, and what to do next.
fn summary(app: &App, diff: &OverlayDiff) {
    let output = &app.output;
    if diff.changes.is_empty() {
        output.say(format_args!("{} changes nothing in {}.", diff.overlay, diff.over));
        return;
    }
    let width = diff.changes.iter().map(|change| change.path.len()).max().unwrap_or(0);
    for change in &diff.changes {
        let by = change.by.as_ref().map(who).unwrap_or_default();
        let lines = lines(change);
        let path = &change.path;
        let line = format!("{} {path:width$}  {lines:<9}  {by}", letter(change.kind));
        output.say(line.trim_end());
    }
    if diff.left_out > 0 {
        output.say(format_args!("{} more changed paths are not shown.", diff.left_out));
    }
    output.say(format_args!(
        "apply: piton workspace apply {0}      drop: piton workspace drop {0}",
        diff.overlay
    ));
}

const fn letter(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::Added => "A",
        DifferenceKind::Modified => "M",
        DifferenceKind::Deleted => "D",
        DifferenceKind::Directory => "+",
    }
}

fn lines(change: &ChangeShown) -> String {
    match (change.kind, change.added, change.removed) {
        (DifferenceKind::Directory, ..) => "directory".to_owned(),
        (_, 0, 0) => String::new(),
        (_, added, 0) => format!("+{added}"),
        (_, 0, removed) => format!("-{removed}"),
        (_, added, removed) => format!("+{added} -{removed}"),
    }
}

fn coloured(line: &str) -> String {
    match line.as_bytes().first() {
        Some(b'+') => styled(State::Good, line).to_string(),
        Some(b'-') => styled(State::Bad, line).to_string(),
        Some(b'@') => styled(State::Faint, line).to_string(),
        _ => line.to_owned(),
    }
}
