//! `piton session prefer`: which branch of a run counts.

use clap::Args;
use piton_runtime::provenance::NodeReference;

use crate::app::{App, Outcome};
use crate::commands::approve::DecidedBy;
use crate::complete;
use crate::tree::ending;

#[derive(Args)]
pub(crate) struct PreferBranch {
    /// A step of the branch: the run, and the end of the node's id
    #[arg(value_name = "RUN@NODE", add = complete::runs())]
    step: NodeReference,
    #[command(flatten)]
    by: DecidedBy,
}

impl PreferBranch {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let preferred = open.wait(open.runtime.prefer_branch(&self.step, self.by.name(app)))?;
        open.log.about(preferred.session_id);
        let (run, tip) = (&self.step.run.0, preferred.tip_id.to_string());
        if preferred.was_preferred {
            writeln!(app.output, "The run is at {} already; nothing was recorded.", ending(&tip));
        } else {
            writeln!(
                app.output,
                "The run is at {} now. An agent that resumes it continues there.",
                ending(&tip)
            );
        }
        app.output.advise(format_args!("Look at it: piton session tree {run}"));
        app.output.finish("piton.session.prefer/1", &preferred)
    }
}
