//! `piton approve`, `piton answer` and `piton reject`: what a person says to a run that waits.

use clap::Args;
use piton_core::error::sentence;
use piton_runtime::request::{Say, SessionReference, SettleRun};

use crate::{app::App, arguments::Run, exit::Ending, failure::Failure};

/// What a yes leads to.
const CONTINUES: &str = "The agent's next call continues the run.";

/// What a no leads to, where the run waits for a yes and where it does not.
const STAYS: &str =
    "The run stays at this step until you approve or answer. The agent's next call tells it why.";
const MAY_CONTINUE: &str = "This step asks for your confirmation and does not wait for it: the agent may continue, and may \
                            have done the step already. Its next call tells it your no and the reason.";

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
        settle(app, &self.run, Say::Approve {})
    }
}

impl Answer {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        settle(app, &self.run, Say::Answer { text: self.answer })
    }
}

impl Reject {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        settle(app, &self.run, Say::Refuse { text: self.reason })
    }
}

fn settle(app: &App, run: &Run, say: Say) -> Result<Ending, Failure> {
    let is_no = matches!(say, Say::Refuse { .. });
    let open = app.open()?;
    let (_, run) = open.ids(&run.run)?;
    let run = SessionReference(run.to_string());
    let settled = open.wait(open.runtime.settle_run(SettleRun { run, say }))?;
    let step = settled.run.step.map_or_else(String::new, |step| format!(", step {step}"));
    app.output.say(format_args!(
        "{} · {} ({}{step})",
        settled.run.label, settled.run.workflow_id, settled.reason
    ));
    app.output.say(format_args!("Recorded: {}", sentence(&settled.summary)));
    app.output.say(match (is_no, settled.is_held) {
        (false, _) => CONTINUES,
        (true, true) => STAYS,
        (true, false) => MAY_CONTINUE,
    });
    app.output.reply("piton.settle/1", &settled)?;
    Ok(Ending::Done)
}
