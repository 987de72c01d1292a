//! `piton diff`: what differs between two steps of a run.

use clap::Args;
use piton_runtime::lineage::{ChangedKey, ChangedOutput, Compared, NodeReference, Side};

use super::blame::say_link;
use crate::{
    app::App,
    exit::Ending,
    failure::Failure,
    style::{State, styled},
    text_diff::say_diff,
    tree::ending,
};

#[derive(Args)]
pub(crate) struct Diff {
    /// The first: a run, and after `@` a node or the id of a step
    #[arg(value_name = "A")]
    left: NodeReference,
    /// The second
    #[arg(value_name = "B")]
    right: NodeReference,
}

impl Diff {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let open = app.open()?;
        let compared = open.wait(open.runtime.compare_nodes(&self.left, &self.right))?;
        match &compared.ancestor {
            Some(ancestor) => {
                app.output.say("Both come from:");
                say_link(app, ancestor);
            }
            None => app.output.say("The two have no step in common."),
        }
        say_side(app, "-", &compared.left);
        say_side(app, "+", &compared.right);
        say_changes(app, &compared);
        app.output.reply("piton.diff.nodes/1", &compared)?;
        Ok(Ending::Done)
    }
}

fn say_side(app: &App, mark: &str, side: &Side) {
    let node = side.node_id.to_string();
    app.output.say(format_args!("\n{mark} {}@{}", side.label, ending(&node)));
    for link in &side.steps {
        say_link(app, link);
    }
}

fn say_changes(app: &App, compared: &Compared) {
    for ChangedOutput { step, diff, left_out, .. } in &compared.outputs {
        app.output.say(format_args!("\nnotes of {step}"));
        say_diff(app, diff, *left_out, "");
    }
    if !compared.context.is_empty() {
        app.output.say("\ncontext");
    }
    for ChangedKey { key, left, right } in &compared.context {
        for (mark, state, value) in [("-", State::Bad, left), ("+", State::Good, right)] {
            if let Some(value) = value {
                let line = format!("{mark} {key}: {value}");
                app.output.say(styled(state, line));
            }
        }
    }
    if compared.outputs.is_empty() && compared.context.is_empty() {
        app.output.say("\nNothing that was handed in differs.");
    }
}
