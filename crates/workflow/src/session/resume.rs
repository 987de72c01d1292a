//! Resumes a run that was found by other means than a token.

use piton_core::{NodeId, RunId, SessionId};

use super::error::{Error, Refusal};
use super::reader::Reader;
use super::reply::NextCall;
use super::reply_basis::ReplyBasis;
use crate::token::NodeAddress;

/// The token and the call that resume a run at its preferred tip.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumedRun {
    /// Asks for the state of the run.
    pub state_token: String,
    /// The call that sends the token.
    pub next_call: NextCall,
}

impl Reader {
    /// Returns the token of a run's preferred tip. Nothing is written.
    pub async fn take_up(&self, session: SessionId, run: RunId) -> Result<ResumedRun, Error> {
        self.take_up_at(session, run, None).await
    }

    /// Returns the token of a node of a run, or of its preferred tip if no node is given. Submitting an output there
    /// begins a branch if the run has already left the node. Nothing is written.
    pub async fn take_up_at(
        &self,
        session: SessionId,
        run: RunId,
        node: Option<NodeId>,
    ) -> Result<ResumedRun, Error> {
        let cached = self.current(session).await?;
        let basis = {
            let cached = cached.lock();
            let state = cached.state.run(run).ok_or(Refusal::UnknownRun)?;
            let tip = || state.graph.preferred_tip().map(|tip| tip.id);
            let node = node.or_else(tip).ok_or(Refusal::UnknownRun)?;
            ReplyBasis::now(&cached.state, NodeAddress { session, run, node })?
        };
        let token = self.state_token(&basis).await?;
        let next_call = NextCall::ask(run, token.short);
        Ok(ResumedRun { state_token: token.long, next_call })
    }
}
