//! Finds the run that a token belongs to, and the position of that run. Nothing is written.

use piton_core::{NodeId, RunId, SessionId};

use super::error::{Error, Refusal, RunPlace};
use super::reader::Reader;
use super::reply_basis::ReplyBasis;
use super::text;
use super::token_lookup::node_of;
use crate::label::{Label, label};
use crate::token::{NodeAddress, Payload, TokenKind, checkpoint_node_id};

/// The run that a token belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRun {
    pub session: SessionId,
    pub run: RunId,
    pub node: NodeId,
    /// Name of the run for people.
    pub label: Label,
    pub kind: TokenKind,
    /// Set when a call with the token writes nothing: it only reads, or its attempt is already on record.
    pub is_recorded: bool,
}

impl Reader {
    /// Returns the run that a token of any kind belongs to.
    pub async fn token_run(&self, token: &str) -> Result<TokenRun, Error> {
        let payload = self.payload(token).await?;
        let NodeAddress { session, run, node } = payload.address();
        let cached = self.current(session).await.map_err(Error::of_token)?;
        let (kind, is_recorded) = {
            let state = &cached.lock().state;
            let (of, _) = node_of(state, payload.address())?;
            match &payload {
                Payload::State(_) => (TokenKind::State, true),
                Payload::Ack(ack) => {
                    (TokenKind::Ack, of.advances.attempt(node, ack.attempt).is_some())
                }
                Payload::Checkpoint(made) => {
                    let bookmark = checkpoint_node_id(made.address, made.attempt);
                    (TokenKind::Checkpoint, of.graph.node(bookmark).is_some())
                }
            }
        };
        Ok(TokenRun { session, run, node, label: label(run), kind, is_recorded })
    }

    /// Describes the position of a run at a node, or at its preferred tip if no node is given, with the calls that
    /// continue it.
    pub async fn run_place(
        &self,
        session: SessionId,
        run: RunId,
        node: Option<NodeId>,
    ) -> Result<RunPlace, Error> {
        let cached = self.current(session).await?;
        let node = {
            let state = &cached.lock().state;
            let of = state.run(run).ok_or(Refusal::UnknownRun)?;
            let tip = || of.graph.preferred_tip().map(|tip| tip.id);
            node.or_else(tip).ok_or(Refusal::UnknownRun)?
        };
        self.run_place_at(NodeAddress { session, run, node }).await
    }

    pub(super) async fn run_place_at(&self, address: NodeAddress) -> Result<RunPlace, Error> {
        let cached = self.current(address.session).await?;
        let basis = ReplyBasis::now(&cached.lock().state, address)?;
        let step_context = self.step_context(basis).await?;
        let body = self.body(&step_context).await?;
        Ok(text::run_place(&body))
    }
}
