//! A person's verdict on the step that a run waits at.

use piton_core::{Code, Envelope, NodeId, RunId, SessionId};
use piton_workflow::session::{PersonVerdict, Question, RunLine, SettleRequest, SettledStep};

use super::runtime::Runtime;
use crate::reply::SettledRun;
use crate::request::{PersonReply, SettleRun};

impl Runtime {
    /// Records a person's verdict. The agent's next call acts on it.
    pub async fn settle_run(&self, request: SettleRun) -> Result<SettledRun, Envelope> {
        let (session, run) = self.meant_run(&request.run).await?;
        self.record_verdict(session, run, None, request.say).await
    }

    /// Returns the question that a run waits on a person for; `None` if nobody needs to be asked.
    pub(crate) async fn question(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<Question>, Envelope> {
        let question = self.sessions.reader().question(session, run).await;
        question.map_err(|error| error.envelope())
    }

    /// Records the answer of a person to a question. It counts only if the run still asks that question.
    pub(crate) async fn settle_question(
        &self,
        question: &Question,
        say: PersonReply,
    ) -> Result<SettledRun, Envelope> {
        let RunLine { session_id, run_id, .. } = question.run;
        self.record_verdict(session_id, run_id, Some(question.node), say).await
    }

    async fn record_verdict(
        &self,
        session: SessionId,
        run: RunId,
        node: Option<NodeId>,
        say: PersonReply,
    ) -> Result<SettledRun, Envelope> {
        // An empty answer would be recorded as a decision without content.
        if let PersonReply::Answer { text } | PersonReply::Refuse { text } = &say
            && text.trim().is_empty()
        {
            let words = "Nothing was said, so nothing was recorded: the agent acts on these words.";
            return Err(Envelope::new(Code::ValidationError, words)
                .with_suggestion("Say it in a few words: the answer, or why not."));
        }
        let verdict = match say {
            PersonReply::Approve {} => PersonVerdict::Approved,
            PersonReply::Answer { text } => PersonVerdict::Answered(text),
            PersonReply::Refuse { text } => PersonVerdict::Refused(text),
        };
        let settled =
            self.sessions.record_verdict(SettleRequest { session, run, node, verdict }).await;
        let SettledStep { run, reason, summary, is_held } =
            settled.map_err(|error| error.envelope())?;
        Ok(SettledRun { run, reason, summary, is_held })
    }
}
