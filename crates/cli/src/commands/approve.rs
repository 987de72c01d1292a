//! `piton approve`, `piton answer` and `piton reject`: a person's reply to a run that waits.

use clap::Args;
use piton_core::error::sentence;
use piton_runtime::request::{PersonName, PersonVerdict, SessionReference};

use crate::app::{App, Outcome};
use crate::arguments::RunArgument;

/// Message after an approval or an answer.
const CONTINUES: &str = "The agent's next call continues the run.";

/// Messages after a rejection, for a run that waits for approval and for one that does not.
const STAYS: &str = "The run stays at this step until you approve or answer. The agent reads the reason with its next call.";
const MAY_CONTINUE: &str = "This step asks for your confirmation but does not wait for it: the agent may continue, and may \
                            have finished the step already. It reads your rejection and the reason with its next call.";

/// The name under which a person decides.
#[derive(Args)]
pub(crate) struct DecidedBy {
    /// Your name in the record [default: your user name]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<PersonName>,
}

impl DecidedBy {
    /// Returns the name that was given, else that of the user. A user name that cannot be recorded is left out.
    pub(crate) fn name(self, app: &App) -> Option<PersonName> {
        let variables = ["USER", "LOGNAME"].into_iter();
        let of_user = || {
            let mut names = variables.filter_map(|name| app.environment.variable(name));
            names.next().and_then(|name| name.parse().ok())
        };
        self.name.or_else(of_user)
    }
}

#[derive(Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    run: RunArgument,
    #[command(flatten)]
    by: DecidedBy,
}

#[derive(Args)]
pub(crate) struct AnswerRun {
    #[command(flatten)]
    run: RunArgument,
    /// The answer; it is recorded, so never include a secret
    answer: String,
    #[command(flatten)]
    by: DecidedBy,
}

#[derive(Args)]
pub(crate) struct Reject {
    #[command(flatten)]
    run: RunArgument,
    /// The reason; the agent reads it
    reason: String,
    #[command(flatten)]
    by: DecidedBy,
}

impl Approve {
    pub(crate) fn run(self, app: &App) -> Outcome {
        record_reply(app, &self.run, self.by, PersonVerdict::Approved)
    }
}

impl AnswerRun {
    pub(crate) fn run(self, app: &App) -> Outcome {
        record_reply(app, &self.run, self.by, PersonVerdict::Answered(self.answer))
    }
}

impl Reject {
    pub(crate) fn run(self, app: &App) -> Outcome {
        record_reply(app, &self.run, self.by, PersonVerdict::Refused(self.reason))
    }
}

fn record_reply(app: &App, run: &RunArgument, by: DecidedBy, verdict: PersonVerdict) -> Outcome {
    let is_no = matches!(verdict, PersonVerdict::Refused(_));
    let open = app.open()?;
    // Resolved to a single run first, so that a session with several is refused.
    let (_, run) = open.ids(&run.run)?;
    let run = SessionReference(run.to_string());
    let settled = open.wait(open.runtime.settle_run(&run, by.name(app), verdict))?;
    let step = settled.run.step.map_or_else(String::new, |step| format!(", step {step}"));
    writeln!(
        app.output,
        "{} · {} ({}{step})",
        settled.run.label, settled.run.workflow_id, settled.reason
    );
    writeln!(app.output, "Recorded: {}", sentence(&settled.summary));
    app.output.print(match (is_no, settled.is_held) {
        (false, _) => CONTINUES,
        (true, true) => STAYS,
        (true, false) => MAY_CONTINUE,
    });
    app.output.finish("piton.settle/1", &settled)
}
