//! `piton diff`: what differs between two steps of a run.

use clap::Args;
use piton_runtime::lineage::{ChangedKey, ChangedOutput, Compared, NodeReference, Side};

use super::blame::say_link;
use crate::{
    app::App,
    exit::Ending,
    failure::Failure,
    style::{State, styled},
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
    for ChangedOutput { step, diff, .. } in &compared.outputs {
        app.output.say(format_args!("\nnotes of {step}"));
        for line in diff.lines() {
            app.output.say(coloured(line));
        }
    }
    if !compared.context.is_empty() {
        app.output.say("\ncontext");
    }
    for ChangedKey { key, left, right } in &compared.context {
        for (mark, value) in [("-", left), ("+", right)] {
            if let Some(value) = value {
                app.output.say(coloured(&format!("{mark} {key}: {value}")));
            }
        }
    }
    if compared.outputs.is_empty() && compared.context.is_empty() {
        app.output.say("\nNothing that was handed in differs.");
    }
}

/// A line of a difference in its colour.
fn coloured(line: &str) -> String {
    match line.as_bytes().first() {
        Some(b'-') => styled(State::Bad, line).to_string(),
        Some(b'+') => styled(State::Good, line).to_string(),
        Some(b'@') => styled(State::Faint, line).to_string(),
        _ => line.to_owned(),
    }
}
