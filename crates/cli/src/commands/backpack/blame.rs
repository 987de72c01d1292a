//! `piton backpack blame`.

use clap::Args;
use piton_runtime::backpack::inspect::{self, BlameLine};

use super::command::{Backpack, backpacks};
use super::lines::{cell, say_left_out, size};
use crate::{
    app::App,
    exit::CommandEnding,
    failure::Failure,
    open::Open,
    table::{self, Cell},
};

const HEADS: [&str; 8] =
    ["KEY", "NODE", "NAMESPACE", "TIME (UTC)", "VERSION", "COMMIT", "SIZE", "VALUE"];

#[derive(Args)]
pub(crate) struct BlameBackpack {
    #[command(flatten)]
    backpack: Backpack,
    /// Only this key, with every version of it
    #[arg(value_name = "KEY")]
    key: Option<String>,
}

impl BlameBackpack {
    pub(super) fn run(self, app: &App, open: &Open) -> Result<CommandEnding, Failure> {
        let Self { backpack, key } = self;
        let blame = open.wait(backpacks(open).blame(&backpack.run, key.as_deref()))?;
        print(app, &blame, &backpack.run.0);
        app.output.reply("piton.backpack.blame/1", &blame)?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, blame: &inspect::BackpackBlame, name: &str) {
    let rows: Vec<_> = blame.lines.iter().map(row).collect();
    if rows.is_empty() {
        app.output.print("Nothing is in use.");
        return;
    }
    for line in table::lines(HEADS, &rows) {
        app.output.print(line);
    }
    say_left_out(app, blame.left_out, "lines");
    if let Some(commit) = blame.lines.iter().find_map(|line| line.commit.as_ref()) {
        app.output.advise(format_args!("\nWhat it stored: piton backpack show {name} {commit}"));
    }
}

fn row(line: &BlameLine) -> [Cell; 8] {
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
