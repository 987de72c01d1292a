//! `piton backpack diff`.

use clap::Args;
use piton_runtime::backpack::ChangeKind;
use piton_runtime::backpack::inspect::{
    BackpackDiff, BackpackReference, DiffSide, KeyChangeShown, PointReference,
};

use super::command::{Backpack, Revealing, backpacks, reference};
use super::items::point;
use super::show::author_text;
use crate::app::{App, Outcome};
use crate::complete;
use crate::open::Open;
use crate::style::{Tone, styled};

#[derive(Args)]
pub(crate) struct DiffBackpack {
    #[command(flatten)]
    backpack: Backpack,
    /// The commit to compare with
    #[arg(value_name = "A", required_unless_present_any = ["before", "with"])]
    from: Option<String>,
    /// The commit to compare [default: the newest]
    #[arg(value_name = "B")]
    to: Option<String>,
    /// Compare with the state before the first commit of this node
    #[arg(long, value_name = "NODE", conflicts_with = "from")]
    before: Option<String>,
    /// Compare with the newest state of this backpack instead of RUN
    #[arg(long, value_name = "RUN", value_parser = reference, conflicts_with = "to", add = complete::backpack_names())]
    with: Option<BackpackReference>,
    #[command(flatten)]
    revealing: Revealing,
}

impl DiffBackpack {
    pub(super) fn run(self, app: &App, open: &Open) -> Outcome {
        let Self { backpack, from, to, before, with, revealing } = self;
        let from = point(from, before);
        let to = to.map_or(PointReference::Newest, PointReference::Commit);
        let other = with.as_ref().unwrap_or(&backpack.run);
        let all = backpacks(open);
        let wanted = all.diff((&backpack.run, &from), (other, &to), revealing.reveal());
        let diff = open.wait(wanted)?;
        print(app, &diff);
        app.output.finish("piton.backpack.diff/1", &diff)
    }
}

fn print(app: &App, diff: &BackpackDiff) {
    writeln!(app.output, "--- {}\n+++ {}", side(&diff.before), side(&diff.after));
    if diff.changes.is_empty() {
        app.output.print("Nothing differs.");
    }
    for change in &diff.changes {
        say_change(app, change);
    }
    app.output.left_out(diff.left_out, "keys");
}

fn side(side: &DiffSide) -> String {
    match &side.commit {
        Some(commit) => format!("{} at {commit}", side.backpack),
        None => format!("{} before its first commit", side.backpack),
    }
}

fn say_change(app: &App, change: &KeyChangeShown) {
    let (mark, state) = match change.kind {
        ChangeKind::Added => ("+", Tone::Good),
        ChangeKind::Modified => ("~", Tone::Attention),
        ChangeKind::Deleted => ("-", Tone::Bad),
    };
    let by = change.by.as_ref().map_or_else(String::new, |by| format!("  by {}", author_text(by)));
    writeln!(app.output, "{} {}{by}", styled(state, mark), change.key);
    if change.diff.is_empty() {
        let words = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
        writeln!(app.output, "    {} → {}", words(&change.before), words(&change.after));
    } else {
        app.output.diff(&change.diff, change.left_out_lines, "    ");
    }
}
