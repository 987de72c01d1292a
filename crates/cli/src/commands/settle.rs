//! `piton approve`, `piton answer` and `piton reject`: what a person says to a run that waits.

use clap::Args;
use piton_runtime::request::{Say, SessionReference, SettleRun};

use crate::{app::App, arguments::Run, exit::Ending, failure::Failure};

/// What a yes leads to.
const GOES_ON: &str = "The agent's next call goes on.";

#[derive(Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    run: Run,
}

#[derive(Args)]
pub(crate) struct Answer {
    #[command(flatten)]
    run: Run,
    /// What the run asks for; it is recorded, so never a secret
    answer: String,
}

#[derive(Args)]
pub(crate) struct Reject {
    #[command(flatten)]
    run: Run,
    /// Why not; the agent reads it
    reason: String,
}

impl Approve {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        settle(app, &self.run, Say::Approve {}, GOES_ON)
    }
}

impl Answer {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        settle(app, &self.run, Say::Answer { text: self.answer }, GOES_ON)
    }
}

impl Reject {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let next = "The run stays at this step; the agent's next call tells it why.";
        settle(app, &self.run, Say::Refuse { text: self.reason }, next)
    }
}

fn settle(app: &App, run: &Run, say: Say, next: &str) -> Result<Ending, Failure> {
    let open = app.open()?;
    let (_, run) = open.ids(&run.run)?;
    let run = SessionReference(run.to_string());
    let settled = open.wait(open.runtime.settle_run(SettleRun { run, say }))?;
    let step = settled.run.step.map_or_else(String::new, |step| format!(", step {step}"));
    app.output.say(format_args!(
        "{} · {} ({}{step})",
        settled.run.label, settled.run.workflow_id, settled.reason
    ));
    app.output.say(format_args!("Recorded: {} {next}", settled.summary));
    app.output.reply("piton.settle/1", &settled)?;
    Ok(Ending::Done)
}
