//! `piton flow replay`.

use std::path::PathBuf;

use clap::Args;
use piton_backpack::flow::Cancel;
use piton_backpack::{BackpackId, ChangeKind};
use piton_runtime::backpack::inspect::{Backpacks, ChangeShown};
use piton_runtime::flow::{FlowNotice, FlowReplayed, NodeParam, ReplayFlow};

use super::check;
use super::run_args::{
    Items, NextCommands, RunArgs, ending, print, print_event, until_stopped, value,
};
use super::tool_sources::{self, ToolSources};
use crate::{
    app::App,
    commands::backpack::{Backpack, cell},
    exit::CommandEnding,
    failure::Failure,
    table::{self, Cell},
};

const HEADS: [&str; 4] = ["", "KEY", "THEN", "NOW"];

#[derive(Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    backpack: Backpack,
    /// The node to begin with, as `piton backpack log` names it
    #[arg(long, value_name = "NODE")]
    from: String,
    #[command(flatten)]
    items: Items,
    /// Another value for a parameter of a node; the value is JSON, or else a text
    #[arg(long, value_name = "NODE.NAME=VALUE", value_parser = param)]
    param: Vec<NodeParam>,
    /// Another flow than the one that it was started with
    #[arg(long, value_name = "FILE")]
    flow: Option<PathBuf>,
    /// What to call the backpack that keeps the replay; it gets an id if it has no name
    #[arg(long, value_name = "NAME")]
    into: Option<BackpackId>,
    #[command(flatten)]
    tools: ToolSources,
    #[command(flatten)]
    going: RunArgs,
}

fn param(text: &str) -> Result<NodeParam, String> {
    let usage = "write it as NODE.NAME=VALUE";
    let (place, text) = text.split_once('=').ok_or(usage)?;
    // The last dot separates, so the name of the node may itself contain dots.
    let (node, name) = place.rsplit_once('.').ok_or(usage)?;
    Ok(NodeParam { node: node.to_owned(), name: name.to_owned(), value: value(text)? })
}

impl Replay {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let text = self.flow.as_deref().map(check::text).transpose()?;
        self.tools.put_up_wall(app)?;
        let open = app.open()?;
        let flows = tool_sources::flows(app, &open, &self.tools, self.going.models.as_deref())?;
        let backpack = open.wait(Backpacks::new(open.backpacks()).meant(&self.backpack.run))?;
        let cancel = Cancel::new();
        let next = NextCommands::new(self.flow.as_deref());
        let request = ReplayFlow {
            backpack,
            from: &self.from,
            text: text.as_deref(),
            params: self.param,
            initial: self.items.initial(),
            into: self.into,
            steps_max: self.going.steps_max,
            cancel: cancel.clone(),
        };
        let print = self.going.events;
        let listener = move |heard: FlowNotice<'_>| print_event(print, &heard);
        let replayed =
            until_stopped((app, &open), cancel, &next, flows.replay(request, &listener))?;
        if !print {
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
        app.output.print("It left the same behind as the run before.");
        app.output.advise(format_args!("Look inside: piton backpack log {now}"));
        return;
    }
    let rows: Vec<_> = outcome.changes.iter().map(row).collect();
    app.output.print("");
    for line in table::lines(HEADS, &rows) {
        app.output.print(line);
    }
    if outcome.left_out > 0 {
        app.output.print(format_args!("{} more keys differ.", outcome.left_out));
    }
    app.output.advise(format_args!("\nLine by line: piton backpack diff {then} --with {now}"));
}

fn row(change: &ChangeShown) -> [Cell; 4] {
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
