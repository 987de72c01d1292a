//! The writing half: starts runs and advances them.

use std::fmt;
use std::sync::Arc;

use piton_core::SessionId;
use piton_core::port::{Clock, Entropy};
use piton_store::StreamId;
use piton_store::port::{Blobs, Journal, KeyRing, StreamLease};

use super::error::{CrossedTokens, Error, Refusal};
use super::plan_draft::PlanDraft;
use super::reader::Reader;
use super::reply::Reply;
use super::request::Continue;
use super::session_cache::SharedSession;
use crate::event::SessionEvent;
use crate::token::{NodeAddress, StatePayload};

/// Starts runs and advances them. Clones share everything that they have read.
#[derive(Clone)]
pub struct Sessions {
    reader: Reader,
    journal: Arc<dyn Journal<SessionEvent>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sessions").finish_non_exhaustive()
    }
}

impl Sessions {
    /// Creates the use cases over these ports.
    pub fn new(
        journal: Arc<dyn Journal<SessionEvent>>,
        blobs: Arc<dyn Blobs>,
        keys: Arc<dyn KeyRing>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        let reader = Reader::new(Arc::<dyn Journal<SessionEvent>>::clone(&journal), blobs, keys);
        Self { reader, journal, clock, entropy }
    }

    /// Returns the reading half.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Continues a run. An ack token submits an output; a state token alone asks for the state of the run.
    pub async fn proceed(&self, request: Continue) -> Result<Reply, Error> {
        let Continue { ack_token, state_token, output, context, observations, label: _ } = request;
        let state = match &state_token {
            Some(token) => Some(self.reader.payload(token).await?.into_state()?),
            None => None,
        };
        let Some(ack_token) = ack_token else {
            let state = state.ok_or(Refusal::NoToken)?;
            return match (output, context) {
                (Some(_), _) => Err(Refusal::OutputWithoutAck.into()),
                (None, Some(_)) => Err(Refusal::ContextWithoutAck.into()),
                (None, None) => self.reader.rehydrate_at(state).await.map_err(Error::of_token),
            };
        };
        let ack = self.reader.payload(&ack_token).await?.into_ack()?;
        // Two tokens of one call must agree, or the agent has mixed up two runs or two steps.
        if let Some(state) = state {
            self.check_pair(state, ack.address).await.map_err(Error::of_token)?;
        }
        let advanced = self.advance_at(ack, output, context, &observations).await;
        advanced.map_err(Error::of_token)
    }

    /// Checks that a state token is about the same node as another token.
    async fn check_pair(&self, state: StatePayload, other: NodeAddress) -> Result<(), Error> {
        let cached = self.reader.current(state.address.session).await?;
        let pinned = super::token_lookup::node_of(&cached.lock().state, state.address)
            .map(|(run, _)| run.started.workflow_hash)?;
        state.check_pin(pinned)?;
        if state.address == other {
            return Ok(());
        }
        // The error carries the next call of both places, so that the agent can continue either.
        let same_run = (state.address.session, state.address.run) == (other.session, other.run);
        let crossed = CrossedTokens {
            ack: self.reader.run_place_at(other).await?,
            state: self.reader.run_place_at(state.address).await?,
            same_run,
        };
        Err(Error::Crossed(Box::new(crossed)))
    }

    /// Takes the lease of a session and returns it with the session as its log stands now.
    pub(super) async fn locked(
        &self,
        session: SessionId,
    ) -> Result<(StreamLease, SharedSession), Error> {
        let lease = self.lease(session).await?;
        // Nothing can be appended while the lease is held. A cached session at the lease's cursor is therefore
        // current, and the journal need not be asked.
        let cached = match self.reader.cache().at(session, lease.cursor()) {
            Some(cached) => cached,
            None => self.reader.current(session).await?,
        };
        Ok((lease, cached))
    }

    /// Takes the lease of a session that may not exist yet.
    pub(super) async fn lease(&self, session: SessionId) -> Result<StreamLease, Error> {
        Ok(self.journal.lease(&StreamId::from(session)).await?)
    }

    /// Appends a plan that has passed the rules, and applies it to the cached session.
    pub(super) async fn append(
        &self,
        session: SessionId,
        lease: &StreamLease,
        cached: Option<&SharedSession>,
        draft: PlanDraft<'_>,
    ) -> Result<(), Error> {
        let (events, plan) = draft.finish();
        // Until the append returns, the cached rules are ahead of the log. If it fails or the call is cancelled, the
        // guard forgets the session and the next call reads the log.
        let ahead = self.reader.cache().ahead(session);
        self.journal.append(&lease.writer(), plan).await?;
        ahead.keep();
        if let Some(cached) = cached {
            cached.lock().learn(&events, lease.cursor());
        }
        Ok(())
    }
}
