//! The writing half: starting runs and leading them on.

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

/// Starts runs and leads them on. Clones share what they have read.
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
    /// Use cases over these ports.
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

    /// The half that only reads.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Goes on with a run: an ack token hands in an output, a state token alone asks where the run stands.
    pub async fn proceed(&self, request: Continue) -> Result<Reply, Error> {
        let Continue { ack_token, state_token, output, context, observations } = request;
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
        if let Some(state) = state {
            self.check_pair(state, ack.address).await.map_err(Error::of_token)?;
        }
        let advanced = self.advance_at(ack, output, context, &observations).await;
        advanced.map_err(Error::of_token)
    }

    /// Whether a state token is about the node that another token is about.
    async fn check_pair(&self, state: StatePayload, other: NodeAddress) -> Result<(), Error> {
        let cached = self.reader.current(state.address.session).await?;
        let pinned = super::token_lookup::node_of(&cached.lock().state, state.address)
            .map(|(run, _)| run.started.workflow_hash)?;
        state.check_pin(pinned)?;
        if state.address == other {
            return Ok(());
        }
        let same_run = (state.address.session, state.address.run) == (other.session, other.run);
        let crossed = CrossedTokens {
            ack: self.reader.run_place_at(other).await?,
            state: self.reader.run_place_at(state.address).await?,
            same_run,
        };
        Err(Error::Crossed(Box::new(crossed)))
    }

    /// A session under its lease, as its log stands now.
    pub(super) async fn locked(
        &self,
        session: SessionId,
    ) -> Result<(StreamLease, SharedSession), Error> {
        let lease = self.lease(session).await?;
        let cached = match self.reader.cache().at(session, lease.cursor()) {
            Some(cached) => cached,
            None => self.reader.current(session).await?,
        };
        Ok((lease, cached))
    }

    /// The lease of a session that may not exist yet.
    pub(super) async fn lease(&self, session: SessionId) -> Result<StreamLease, Error> {
        Ok(self.journal.lease(&StreamId::from(session)).await?)
    }

    /// Appends a plan and takes it into what is known; it has passed the rules.
    pub(super) async fn append(
        &self,
        session: SessionId,
        lease: &StreamLease,
        cached: Option<&SharedSession>,
        draft: PlanDraft<'_>,
    ) -> Result<(), Error> {
        let (events, plan) = draft.finish();
        let ahead = self.reader.cache().ahead(session);
        self.journal.append(&lease.writer(), plan).await?;
        ahead.keep();
        if let Some(cached) = cached {
            cached.lock().learn(&events, lease.cursor());
        }
        Ok(())
    }
}
