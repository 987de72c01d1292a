//! `piton backpack log` and `piton backpack history`.

use clap::Args;
use piton_runtime::backpack::inspect::{BackpackLog, CommitLine, LogFilter};
use piton_runtime::backpack::{Action, Key, NodeId};
use piton_runtime::bounds::{COMMITS_SHOWN, COMMITS_SHOWN_MAX};

use super::command::{Backpack, backpacks};
use crate::app::{App, Outcome};
use crate::complete;
use crate::messages::{cell, count, size};
use crate::open::Open;
use crate::style::Tone;
use crate::table::Cell;

const HEADS: [&str; 7] = ["COMMIT", "TIME (UTC)", "NODE", "ACTION", "KEY", "SIZE", "VALUE"];

#[derive(Args)]
pub(crate) struct LogBackpack {
    #[command(flatten)]
    backpack: Backpack,
    /// Show only commits of this node
    #[arg(long, value_name = "NODE")]
    node: Option<NodeId>,
    /// Show only commits of this key
    #[arg(long, value_name = "KEY", add = complete::keys())]
    key: Option<Key>,
    /// Show only this action: pack, unpack, delete, quarantine, deny or restore
    #[arg(long, value_name = "ACTION")]
    action: Option<Action>,
    /// The maximum number of commits to show
    #[arg(long, value_name = "COUNT", default_value_t = COMMITS_SHOWN)]
    limit: usize,
    /// Include the notes of the flow runner
    #[arg(long)]
    all: bool,
}

#[derive(Args)]
pub(crate) struct History {
    #[command(flatten)]
    backpack: Backpack,
    /// The key
    #[arg(value_name = "KEY", add = complete::keys())]
    key: Key,
}

impl LogBackpack {
    pub(super) fn run(self, app: &App, open: &Open) -> Outcome {
        let Self { backpack, node, key, action, limit, all } = self;
        let filter = LogFilter { node, key, action, notes: all, before: None, limit };
        let log = open.wait(backpacks(open).log(&backpack.run, &filter))?;
        print(app, &log, &backpack.run.0);
        app.output.finish("piton.backpack.log/1", &log)
    }
}

impl History {
    pub(super) fn run(self, app: &App, open: &Open) -> Outcome {
        let filter = LogFilter {
            // The history of a key includes the runner's own notes: it is complete up to the maximum.
            key: Some(self.key),
            notes: true,
            limit: COMMITS_SHOWN_MAX,
            ..LogFilter::default()
        };
        let log = open.wait(backpacks(open).log(&self.backpack.run, &filter))?;
        print(app, &log, &self.backpack.run.0);
        app.output.finish("piton.backpack.history/1", &log)
    }
}

fn print(app: &App, log: &BackpackLog, name: &str) {
    let rows: Vec<_> = log.commits.iter().map(row).collect();
    if rows.is_empty() {
        app.output.print("No commit matches.");
        app.output.advise(format_args!("Show all commits: piton backpack log {name} --all"));
    } else {
        app.output.table(HEADS, &rows);
    }
    if log.older > 0 {
        writeln!(app.output, "{} older; --limit shows more.", count(log.older, "commit"));
    }
    if log.notes > 0 {
        writeln!(
            app.output,
            "{} of the flow runner left out; --all shows them.",
            count(log.notes, "note")
        );
    }
    if let Some(commit) = log.commits.first() {
        app.output.advise(format_args!("\nShow one: piton backpack show {name} {}", commit.short));
    }
}

fn row(line: &CommitLine) -> [Cell; 7] {
    let action = match (line.refused, line.abandoned) {
        (Some(refused), _) => Cell::of(Tone::Bad, format!("deny {refused}")),
        (None, true) => Cell::of(Tone::Faint, format!("{} (abandoned)", line.action)),
        (None, false) => line.action.as_str().into(),
    };
    [
        line.short.clone().into(),
        line.timestamp_ms.utc().into(),
        line.by.id.to_string().into(),
        action,
        line.key.to_string().into(),
        line.size.map_or_else(|| "–".to_owned(), size).into(),
        value(line).into(),
    ]
}

/// Describes the value: a few words, its version, and the author of the value that it replaced.
fn value(line: &CommitLine) -> String {
    let mut words = cell(line.reason.as_ref().unwrap_or(&line.summary));
    if let Some(version) = line.version {
        words = format!("{words}  v{version}");
    }
    if let Some(replaced) = &line.replaced {
        words = format!("{words}  ← over {replaced}");
    }
    if let Some(provenance) = &line.provenance {
        words = format!("{words}  for step {}", provenance.step);
    }
    words
}
