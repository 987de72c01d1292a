//! Resolves the tokens of a call to the node that they name.
//!
//! A long token carries its payload. A short token only says where to look: in every session with a matching id
//! suffix, at the node and the attempt with the ordinals that it carries. Sessions that this process has cached are
//! tried first, so that a session in active use is found without listing all of them.

use piton_core::SessionId;
use piton_store::StreamId;

use super::error::Error;
use super::reader::Reader;
use crate::event::NodeKind;
use crate::projection::{RunNode, RunState, SessionState};
use crate::token::{
    self, AckPayload, AnyToken, AttemptKind, CheckpointPayload, NodeAddress, Payload, SessionTail,
    ShortToken, StatePayload, TokenError, TokenKind, attempt_id,
};

impl Reader {
    /// Verifies a token of either form and returns its payload. The node of a short token exists; that of a long one
    /// is not looked up here.
    pub(super) async fn payload(&self, text: &str) -> Result<Payload, Error> {
        let payload = match text.trim().parse()? {
            AnyToken::Long(token) => token::verify(&token, self.keys()).await?,
            AnyToken::Short(token) => self.resolve_short(&token).await?,
        };
        Ok(payload)
    }

    async fn resolve_short(&self, token: &ShortToken) -> Result<Payload, Error> {
        let ends_so = |session: &SessionId| SessionTail::of(*session) == token.session();
        let known = self.cache().known(ends_so);
        // A session elsewhere in the store may have the same suffix, so a failure here proves nothing yet.
        if let Ok(payload) = self.settle_among(token, &known).await {
            return Ok(payload);
        }
        let listed = self.journal().streams().await?;
        let sessions = listed.iter().filter_map(session_of).filter(ends_so);
        self.settle_among(token, &sessions.collect::<Vec<_>>()).await
    }

    async fn settle_among(
        &self,
        token: &ShortToken,
        sessions: &[SessionId],
    ) -> Result<Payload, Error> {
        let mut candidates = Vec::with_capacity(sessions.len());
        for session in sessions {
            // An unreadable session is skipped, unless it is the only one that the token can belong to: then its
            // error is the answer.
            match self.current(*session).await {
                Ok(cached) => candidates.extend(candidate(&cached.lock().state, *session, token)),
                Err(error) if sessions.len() == 1 => return Err(error),
                Err(_) => {}
            }
        }
        // The suffix and the ordinals only nominate candidates. The signature decides which one the token belongs to.
        Ok(token::verify_short(token, &candidates, self.keys()).await?)
    }
}

fn session_of(stream: &StreamId) -> Option<SessionId> {
    stream.as_str().parse().ok()
}

/// Returns the payload that a short token would have if it belonged to `session`.
fn candidate(state: &SessionState, session: SessionId, token: &ShortToken) -> Option<Payload> {
    // The result is a guess until its signature is checked: any session may have a node with this ordinal.
    let at = state.node_at(usize::try_from(token.node().get()).ok()?)?;
    let address = NodeAddress { session, run: at.run, node: at.node };
    let attempt = |kind| Some(attempt_id(address, kind, token.attempt()?));
    Some(match token.kind() {
        TokenKind::State => {
            let workflow_hash = state.run(at.run)?.started.workflow_hash;
            Payload::State(StatePayload { address, workflow_hash })
        }
        TokenKind::Ack => Payload::Ack(AckPayload { address, attempt: attempt(AttemptKind::Ack)? }),
        TokenKind::Checkpoint => {
            let attempt = attempt(AttemptKind::Checkpoint)?;
            Payload::Checkpoint(CheckpointPayload { address, attempt })
        }
    })
}

/// Returns the run and the node at an address. The node must be a step that a run can continue from.
pub(super) fn node_of(
    state: &SessionState,
    address: NodeAddress,
) -> Result<(&RunState, &RunNode), TokenError> {
    let run = state.run(address.run).ok_or(TokenError::UnknownNode)?;
    let node = run.graph.node(address.node).ok_or(TokenError::UnknownNode)?;
    // Nothing continues from a checkpoint: every token about one names the step that it hangs on.
    if node.kind == NodeKind::Checkpoint {
        return Err(TokenError::UnknownNode);
    }
    Ok((run, node))
}
