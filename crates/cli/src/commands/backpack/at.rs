//! `piton backpack at`.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::backpack::inspect::{BackpackState, ItemLine, PointReference};

use super::command::{Backpack, Revealing, backpacks};
use super::lines::{cell, say_left_out, say_value, size};
use crate::{
    app::App,
    exit::CommandEnding,
    failure::Failure,
    open::Open,
    table::{self, Cell},
};

const HEADS: [&str; 5] = ["KEY", "NODE", "VERSION", "SIZE", "VALUE"];

#[derive(Args)]
pub(crate) struct At {
    #[command(flatten)]
    backpack: Backpack,
    /// The commit, as the log shows it; the newest if none is named
    #[arg(value_name = "COMMIT", conflicts_with = "before")]
    commit: Option<String>,
    /// Before the first commit of this node
    #[arg(long, value_name = "NODE")]
    before: Option<String>,
    /// Only this key, with its whole value
    #[arg(long, value_name = "KEY")]
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
    pub(super) fn run(self, app: &App, open: &Open) -> Result<CommandEnding, Failure> {
        let Self { backpack, commit, before, key, revealing } = self;
        let (all, point) = (backpacks(open), point(commit, before));
        let Some(key) = key else {
            let state = open.wait(all.at(&backpack.run, &point))?;
            print(app, &state, &backpack.run.0);
            app.output.reply("piton.backpack.at/1", &state)?;
            return Ok(CommandEnding::Done);
        };
        let reveal = revealing.reveal();
        let item = open.wait(all.item_at(&backpack.run, &point, &key, reveal))?;
        say_value(app, &item.value, "");
        app.output.reply("piton.backpack.item/1", &item)?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, state: &BackpackState, name: &str) {
    let rows: Vec<_> = state.items.iter().map(row).collect();
    if rows.is_empty() {
        app.output.print("Nothing is in use.");
        return;
    }
    for line in table::lines(HEADS, &rows) {
        app.output.print(line);
    }
    say_left_out(app, state.left_out, "keys");
    if let (Some(item), Some(commit)) = (state.items.first(), &state.commit) {
        let key = shell_word(item.key.as_str());
        app.output
            .advise(format_args!("\nOne value: piton backpack at {name} {commit} --key {key}"));
    }
}

fn row(item: &ItemLine) -> [Cell; 5] {
    [
        item.key.to_string().into(),
        item.by.id.to_string().into(),
        item.version.to_string().into(),
        size(item.size).into(),
        cell(&item.summary).into(),
    ]
}
