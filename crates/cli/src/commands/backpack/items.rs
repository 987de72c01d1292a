//! `piton backpack at` and `piton backpack blame`: the values at a moment, and their authors.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::backpack::inspect::{
    BackpackBlame, BackpackState, BlameLine, ItemLine, PointReference,
};
use piton_runtime::page::Page;

use super::command::{Backpack, Revealing, backpacks};
use super::show::say_value;
use crate::app::{App, Outcome};
use crate::complete;
use crate::messages::{cell, size};
use crate::open::Open;
use crate::table::Cell;

const ITEM_HEADS: [&str; 5] = ["KEY", "NODE", "VERSION", "SIZE", "VALUE"];

const BLAME_HEADS: [&str; 8] =
    ["KEY", "NODE", "NAMESPACE", "TIME (UTC)", "VERSION", "COMMIT", "SIZE", "VALUE"];

#[derive(Args)]
pub(crate) struct At {
    #[command(flatten)]
    backpack: Backpack,
    /// The commit, as the log shows it [default: the newest]
    #[arg(value_name = "COMMIT", conflicts_with = "before")]
    commit: Option<String>,
    /// Show the values before the first commit of this node
    #[arg(long, value_name = "NODE")]
    before: Option<String>,
    /// Show only this key, with its whole value
    #[arg(long, value_name = "KEY", add = complete::keys())]
    key: Option<String>,
    #[command(flatten)]
    revealing: Revealing,
}

/// Returns the point in time that the arguments name.
pub(super) fn point(commit: Option<String>, before: Option<String>) -> PointReference {
    match (commit, before) {
        (Some(commit), _) => PointReference::Commit(commit),
        (None, Some(node)) => PointReference::BeforeNode(node),
        (None, None) => PointReference::Newest,
    }
}

impl At {
    pub(super) fn run(self, app: &App, open: &Open) -> Outcome {
        let Self { backpack, commit, before, key, revealing } = self;
        let (all, point) = (backpacks(open), point(commit, before));
        let Some(key) = key else {
            let state = open.wait(all.at(&backpack.run, &point, Page::default()))?;
            say_state(app, &state, &backpack.run.0);
            return app.output.finish("piton.backpack.at/1", &state);
        };
        let reveal = revealing.reveal();
        let item = open.wait(all.item_at(&backpack.run, &point, &key, reveal))?;
        say_value(app, &item.value, "");
        app.output.finish("piton.backpack.item/1", &item)
    }
}

fn say_state(app: &App, state: &BackpackState, name: &str) {
    let rows: Vec<_> = state.items.iter().map(item_row).collect();
    if rows.is_empty() {
        app.output.print("The backpack is empty.");
        return;
    }
    app.output.table(ITEM_HEADS, &rows);
    app.output.left_out(state.left_out, "keys");
    if let (Some(item), Some(commit)) = (state.items.first(), &state.commit) {
        let key = shell_word(item.key.as_str());
        app.output.advise(format_args!(
            "\nShow one value: piton backpack at {name} {commit} --key {key}"
        ));
    }
}

fn item_row(item: &ItemLine) -> [Cell; 5] {
    [
        item.key.to_string().into(),
        item.by.id.to_string().into(),
        item.version.to_string().into(),
        size(item.size).into(),
        cell(&item.summary).into(),
    ]
}

#[derive(Args)]
pub(crate) struct BlameBackpack {
    #[command(flatten)]
    backpack: Backpack,
    /// Show only this key, with every version of it
    #[arg(value_name = "KEY", add = complete::keys())]
    key: Option<String>,
}

impl BlameBackpack {
    pub(super) fn run(self, app: &App, open: &Open) -> Outcome {
        let Self { backpack, key } = self;
        let blame =
            open.wait(backpacks(open).blame(&backpack.run, key.as_deref(), Page::default()))?;
        say_blame(app, &blame, &backpack.run.0);
        app.output.finish("piton.backpack.blame/1", &blame)
    }
}

fn say_blame(app: &App, blame: &BackpackBlame, name: &str) {
    let rows: Vec<_> = blame.lines.iter().map(blame_row).collect();
    if rows.is_empty() {
        app.output.print("The backpack is empty.");
        return;
    }
    app.output.table(BLAME_HEADS, &rows);
    app.output.left_out(blame.left_out, "lines");
    if let Some(commit) = blame.lines.iter().find_map(|line| line.commit.as_ref()) {
        app.output.advise(format_args!("\nShow a commit: piton backpack show {name} {commit}"));
    }
}

fn blame_row(line: &BlameLine) -> [Cell; 8] {
    let namespace = line.by.namespace.as_ref();
    [
        line.key.to_string().into(),
        line.by.id.to_string().into(),
        namespace.map_or_else(|| "–".to_owned(), ToString::to_string).into(),
        line.timestamp_ms.utc().into(),
        line.version.to_string().into(),
        line.commit.clone().unwrap_or_else(|| "–".to_owned()).into(),
        size(line.size).into(),
        cell(&line.summary).into(),
    ]
}
