//! `piton flow replay`.

use std::path::PathBuf;

use clap::Args;
use piton_runtime::backpack::inspect::KeyChangeShown;
use piton_runtime::backpack::{BackpackId, ChangeKind};
use piton_runtime::flow::{Cancel, FlowReplayed, NodeParam, ReplayFlow};

use super::check::read_flow;
use super::run::{Items, NextCommands, RunArgs, ending, print, typed_value, until_stopped};
use super::tool_sources::ToolSources;
use crate::app::{App, Outcome};
use crate::commands::backpack::{Backpack, backpacks};
use crate::messages::cell;
use crate::table::Cell;

const HEADS: [&str; 4] = ["", "KEY", "THEN", "NOW"];

#[derive(Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    backpack: Backpack,
    /// The node to start from, as `piton backpack log` names it
    #[arg(long, value_name = "NODE")]
    from: String,
    #[command(flatten)]
    items: Items,
    /// Change a parameter of a node; the value is JSON, or else text
    #[arg(long, value_name = "NODE.NAME=VALUE", value_parser = param)]
    param: Vec<NodeParam>,
    /// Use this flow instead of the one that the run was started with
    #[arg(long, value_name = "FILE")]
    flow: Option<PathBuf>,
    /// The name of the backpack that keeps the replay [default: a new id]
    #[arg(long, value_name = "NAME")]
    into: Option<BackpackId>,
    #[command(flatten)]
    tools: ToolSources,
    #[command(flatten)]
    args: RunArgs,
}

fn param(text: &str) -> Result<NodeParam, String> {
    let usage = "write it as NODE.NAME=VALUE";
    let (place, text) = text.split_once('=').ok_or(usage)?;
    // The last dot separates, so the name of the node may itself contain dots.
    let (node, name) = place.rsplit_once('.').ok_or(usage)?;
    Ok(NodeParam { node: node.to_owned(), name: name.to_owned(), value: typed_value(text)? })
}

impl Replay {
    pub(super) fn run(self, app: &App) -> Outcome {
        let text = self.flow.as_deref().map(read_flow).transpose()?;
        let (open, flows) = self.args.prepare(app, &self.tools)?;
        let backpack = open.wait(backpacks(&open).meant(&self.backpack.run))?;
        let cancel = Cancel::new();
        let next = NextCommands::new(self.flow.as_deref());
        let request = ReplayFlow {
            backpack,
            from: &self.from,
            text: text.as_deref(),
            params: self.param,
            initial: self.items.initial(),
            into: self.into,
            options: self.args.options(&cancel),
        };
        let listener = self.args.listener();
        let run = flows.replay(request, &listener);
        let replayed =
            until_stopped((app, &open), cancel, &next, |replayed| &mut replayed.ran.error, run)?;
        if !self.args.events {
            compare(app, &replayed);
            app.output.reply("piton.flow_replay/1", &replayed)?;
        }
        Ok(ending(&replayed.ran))
    }
}

/// Prints the results of the two runs side by side.
fn compare(app: &App, replayed: &FlowReplayed) {
    print(app, &replayed.ran);
    let outcome = &replayed.outcome;
    let (then, now) = (&replayed.of, &replayed.ran.backpack);
    if outcome.changes.is_empty() {
        app.output.print("The result is the same as before.");
        app.output.advise(format_args!("Look inside: piton backpack log {now}"));
        return;
    }
    let rows: Vec<_> = outcome.changes.iter().map(row).collect();
    app.output.print("");
    app.output.table(HEADS, &rows);
    if outcome.left_out > 0 {
        writeln!(app.output, "{} more keys differ.", outcome.left_out);
    }
    app.output
        .advise(format_args!("\nCompare line by line: piton backpack diff {then} --with {now}"));
}

fn row(change: &KeyChangeShown) -> [Cell; 4] {
    let mark = match change.kind {
        ChangeKind::Added => "+",
        ChangeKind::Modified => "~",
        ChangeKind::Deleted => "-",
    };
    let words = |text: &Option<String>| cell(text.as_deref().unwrap_or("nothing"));
    [
        mark.into(),
        change.key.to_string().into(),
        words(&change.before).into(),
        words(&change.after).into(),
    ]
}
