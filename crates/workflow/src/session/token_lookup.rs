//! From the tokens of a call to the node that they name.
//!
//! A long token says what it means. A short one says where to look: in every session whose id ends as it says, at
//! the node and the attempt that it counts. What is known in this process is looked at first, so that a session
//! that is being worked on is found without listing all of them.

use piton_core::SessionId;
use piton_store::StreamId;

use super::error::Error;
use super::reader::Reader;
use crate::projection::{RunNode, RunState, SessionState};
use crate::token::{
    self, AckPayload, AttemptKind, CheckpointPayload, GivenToken, NodeAddress, Payload,
    SessionTail, ShortToken, StatePayload, TokenError, TokenKind, attempt_id,
};
use crate::topology::NodeKind;

impl Reader {
    /// What a token says, if it was minted here and its node exists.
    pub(super) async fn payload(&self, text: &str) -> Result<Payload, Error> {
        let payload = match text.trim().parse()? {
            GivenToken::Long(token) => token::verify(&token, self.keys()).await?,
            GivenToken::Short(token) => self.resolve_short(&token).await?,
        };
        Ok(payload)
    }

    async fn resolve_short(&self, token: &ShortToken) -> Result<Payload, Error> {
        let ends_so = |session: &SessionId| SessionTail::of(*session) == token.session();
        let known = self.cache().known(ends_so);
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
            // One that cannot be read is not the one, unless there is no other.
            match self.current(*session).await {
                Ok(cached) => candidates.extend(candidate(&cached.lock().state, *session, token)),
                Err(error) if sessions.len() == 1 => return Err(error),
                Err(_) => {}
            }
        }
        Ok(token::verify_short(token, &candidates, self.keys()).await?)
    }
}

fn session_of(stream: &StreamId) -> Option<SessionId> {
    stream.as_str().parse().ok()
}

/// What the place that a short token counts would say in `session`.
fn candidate(state: &SessionState, session: SessionId, token: &ShortToken) -> Option<Payload> {
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

/// The run and node of an address in a session, which must be a step that one can go on from.
pub(super) fn node_of(
    state: &SessionState,
    address: NodeAddress,
) -> Result<(&RunState, &RunNode), TokenError> {
    let run = state.run(address.run).ok_or(TokenError::UnknownNode)?;
    let node = run.graph.node(address.node).ok_or(TokenError::UnknownNode)?;
    if node.kind == NodeKind::Checkpoint {
        return Err(TokenError::UnknownNode);
    }
    Ok((run, node))
}
