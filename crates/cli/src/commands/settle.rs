//! `piton approve`, `piton answer` and `piton reject`: a person's reply to a run that waits.

use clap::Args;
use piton_core::error::sentence;
use piton_runtime::request::{PersonVerdict, SessionReference};

use crate::{app::App, arguments::RunArgument, exit::CommandEnding, failure::Failure};

/// Message after an approval or an answer.
const CONTINUES: &str = "The agent's next call continues the run.";

/// Messages after a rejection, for a run that waits for approval and for one that does not.
const STAYS: &str =
    "The run stays at this step until you approve or answer. The agent's next call tells it why.";
const MAY_CONTINUE: &str = "This step asks for your confirmation and does not wait for it: the agent may continue, and may \
                            have done the step already. Its next call tells it your no and the reason.";

#[derive(Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    run: RunArgument,
}

#[derive(Args)]
pub(crate) struct AnswerRun {
    #[command(flatten)]
    run: RunArgument,
    /// What the run asks for; it is recorded, so never a secret
    answer: String,
}

#[derive(Args)]
pub(crate) struct Reject {
    #[command(flatten)]
    run: RunArgument,
    /// Why not; the agent reads it
    reason: String,
}

impl Approve {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        record_reply(app, &self.run, PersonVerdict::Approved)
    }
}

impl AnswerRun {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        record_reply(app, &self.run, PersonVerdict::Answered(self.answer))
    }
}

impl Reject {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        record_reply(app, &self.run, PersonVerdict::Refused(self.reason))
    }
}

fn record_reply(
    app: &App,
    run: &RunArgument,
    verdict: PersonVerdict,
) -> Result<CommandEnding, Failure> {
    let is_no = matches!(verdict, PersonVerdict::Refused(_));
    let open = app.open()?;
    // Resolved to a single run first, so that a session with several is refused.
    let (_, run) = open.ids(&run.run)?;
    let run = SessionReference(run.to_string());
    let settled = open.wait(open.runtime.settle_run(&run, verdict))?;
    let step = settled.run.step.map_or_else(String::new, |step| format!(", step {step}"));
    app.output.print(format_args!(
        "{} · {} ({}{step})",
        settled.run.label, settled.run.workflow_id, settled.reason
    ));
    app.output.print(format_args!("Recorded: {}", sentence(&settled.summary)));
    app.output.print(match (is_no, settled.is_held) {
        (false, _) => CONTINUES,
        (true, true) => STAYS,
        (true, false) => MAY_CONTINUE,
    });
    app.output.reply("piton.settle/1", &settled)?;
    Ok(CommandEnding::Done)
}
