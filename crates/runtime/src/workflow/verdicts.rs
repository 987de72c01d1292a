//! A person's verdict on the step that a run waits at.

use piton_core::{Code, Envelope};
use piton_workflow::session::{PersonVerdict, SettleRequest, SettledStep};

use super::runtime::Runtime;
use crate::request::SessionReference;

impl Runtime {
    /// Records a person's verdict about the run that they name. The agent's next call acts on it.
    pub async fn settle_run(
        &self,
        run: &SessionReference,
        verdict: PersonVerdict,
    ) -> Result<SettledStep, Envelope> {
        let (session, run) = self.meant_run(run).await?;
        self.record_verdict(SettleRequest { session, run, node: None, verdict }).await
    }

    /// Records a person's verdict, unless it says nothing.
    pub(crate) async fn record_verdict(
        &self,
        request: SettleRequest,
    ) -> Result<SettledStep, Envelope> {
        // An empty answer would be recorded as a decision without content.
        if let PersonVerdict::Answered(text) | PersonVerdict::Refused(text) = &request.verdict
            && text.trim().is_empty()
        {
            let words = "Nothing was said, so nothing was recorded: the agent acts on these words.";
            return Err(Envelope::new(Code::ValidationError, words)
                .with_suggestion("Say it in a few words: the answer, or why not."));
        }
        Ok(self.sessions.record_verdict(request).await?)
    }
}
