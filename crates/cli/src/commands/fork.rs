//! `piton fork`: a token to go on from any step of a run.

use clap::Args;
use piton_runtime::lineage::NodeReference;

use crate::{app::App, arguments::Run, exit::Ending, failure::Failure, tree::ending};

#[derive(Args)]
pub(crate) struct Fork {
    #[command(flatten)]
    run: Run,
    /// The step: a node, the end of its id, or the id of a step; where the run stands without it
    #[arg(long, value_name = "NODE")]
    at: Option<String>,
}

impl Fork {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let open = app.open()?;
        let reference = NodeReference { run: self.run.run, node: self.at };
        let forked = open.wait(open.runtime.fork_run(&reference))?;
        open.log.about(forked.session_id);
        let node = forked.node_id.to_string();
        let output = &app.output;
        output.say(format_args!("{} · {} ({})", forked.label, forked.title, forked.step));
        let left = if forked.was_left {
            "The run went on from here before: what is handed in here makes a branch."
        } else {
            "The run stands here: what is handed in here goes on with it."
        };
        output.say(format_args!("{left} Nothing was written.\n"));
        let call = serde_json::to_string(&forked.next_call.params).unwrap_or_default();
        output.say("Tell an agent to call:");
        output.say(format_args!("  {} {call}", forked.next_call.tool));
        output.say(format_args!(
            "\nCompare later: piton diff {label}@{} {label}",
            ending(&node),
            label = forked.label
        ));
        output.reply("piton.fork/1", &forked)?;
        Ok(Ending::Done)
    }
}
