//! What a person says about the step that a run waits at.

use piton_core::Envelope;
use piton_workflow::session::{Settle, Verdict};

use super::state::Runtime;
use crate::reply::SettledRun;
use crate::request::{Say, SettleRun};

impl Runtime {
    /// Records what a person says. The agent's next call goes by it.
    pub async fn settle_run(&self, request: SettleRun) -> Result<SettledRun, Envelope> {
        let (session, run) = self.meant_run(&request.run).await?;
        let verdict = match request.say {
            Say::Approve {} => Verdict::Approved,
            Say::Answer { text } => Verdict::Answered(text),
            Say::Refuse { text } => Verdict::Refused(text),
        };
        let settled = self.sessions.settle(Settle { session, run, verdict }).await;
        let settled = settled.map_err(|error| error.envelope())?;
        Ok(SettledRun { run: settled.run, reason: settled.reason, summary: settled.summary })
    }
}
