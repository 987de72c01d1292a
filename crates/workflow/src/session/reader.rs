//! The reading half: everything that it takes to report the state of a run.
//!
//! *Invariants*: no port here can write durable truth.
//!
//! ```
//! # use std::sync::Arc;
//! # use piton_store::port::{BlobReader, JournalReader, KeyRing};
//! # use piton_workflow::{SessionEvent, session::{Error, Reader, Reply}};
//! // It takes no more than the reading halves of the ports.
//! async fn rehydrate(
//!     journal: Arc<dyn JournalReader<SessionEvent>>,
//!     blobs: Arc<dyn BlobReader>,
//!     keys: Arc<dyn KeyRing>,
//!     token: &str,
//! ) -> Result<Reply, Error> {
//!     Reader::new(journal, blobs, keys).rehydrate(token).await
//! }
//! ```
//!
//! ```compile_fail,E0308
//! # use std::sync::Arc;
//! # use piton_core::port::{Clock, Entropy};
//! # use piton_store::port::{BlobReader, Blobs, Journal, JournalReader, KeyRing};
//! # use piton_workflow::{SessionEvent, session::Sessions};
//! // Advancing a run takes the writing halves.
//! fn sessions(
//!     journal: Arc<dyn JournalReader<SessionEvent>>,
//!     blobs: Arc<dyn Blobs>,
//!     keys: Arc<dyn KeyRing>,
//!     clock: Arc<dyn Clock>,
//!     entropy: Arc<dyn Entropy>,
//! ) -> Sessions {
//!     Sessions::new(journal, blobs, keys, clock, entropy)
//! }
//! ```
//!
//! ```compile_fail,E0599
//! # use piton_store::port::{BlobReader, Blobs as _, BlobNamespace};
//! // What reads blobs does not store any.
//! async fn store(blobs: &dyn BlobReader, bytes: Vec<u8>) {
//!     blobs.put(BlobNamespace::Snapshots, bytes).await.unwrap();
//! }
//! ```
//!
//! ```compile_fail,E0277
//! # use std::sync::Arc;
//! # use piton_store::port::{BlobReader, Journal, JournalReader, KeyRing};
//! # use piton_workflow::{SessionEvent, session::Reader};
//! // What reads does not give away something that appends.
//! fn journal_of(reader: &Reader) -> Arc<dyn Journal<SessionEvent>> {
//!     let journal: &dyn JournalReader<SessionEvent> = reader.journal();
//!     Arc::<dyn Journal<SessionEvent>>::from(journal)
//! }
//! ```
// shows: WR-099, WR-244

use std::fmt;
use std::sync::Arc;

use piton_core::{DedupeKey, NodeId, RunId, SessionId};
use piton_store::StreamId;
use piton_store::port::BoxFuture;
use piton_store::port::{BlobReader, JournalReader, KeyRing};

use super::error::{Error, Refusal};
use super::loader::{SessionLoader, SharedSession};
use super::reply_basis::ReplyBasis;
use crate::event::SessionEvent;
use crate::projection::{RunState, SessionState};
use crate::token::NodeAddress;

/// Reports the state of runs. Clones share everything that they have read.
#[derive(Clone)]
pub struct Reader {
    pub(super) loader: Arc<SessionLoader>,
    pub(super) keys: Arc<dyn KeyRing>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl Reader {
    /// Creates a reader over these ports. It has read nothing yet.
    pub fn new(
        journal: Arc<dyn JournalReader<SessionEvent>>,
        blobs: Arc<dyn BlobReader>,
        keys: Arc<dyn KeyRing>,
    ) -> Self {
        Self { loader: Arc::new(SessionLoader::new(journal, blobs)), keys }
    }

    /// Returns the journal that it reads.
    pub fn journal(&self) -> &dyn JournalReader<SessionEvent> {
        self.loader.journal()
    }

    /// True if a session holds a fact. The fact is durable then, no matter which process wrote it; an event that is
    /// merely visible in the log may still be on its way to the disk.
    pub(super) async fn holds(&self, session: SessionId, key: &DedupeKey) -> Result<bool, Error> {
        match self.journal().lookup(&StreamId::from(session), key).await {
            Ok(found) => Ok(found.is_some()),
            Err(piton_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns a session as its log stands now.
    pub(crate) fn current(
        &self,
        session: SessionId,
    ) -> BoxFuture<'_, Result<SharedSession, Error>> {
        Box::pin(async move { self.loader.current(session).await })
    }

    /// Returns the state of a run at a node as of now, or at its preferred tip if no node is given.
    pub(super) async fn basis(
        &self,
        session: SessionId,
        run: RunId,
        node: Option<NodeId>,
    ) -> Result<ReplyBasis, Error> {
        let cached = self.current(session).await?;
        let state = &cached.lock().state;
        let (_, tip) = preferred_tip(state, run)?;
        let address = NodeAddress { session, run, node: node.unwrap_or(tip) };
        Ok(ReplyBasis::now(state, address)?)
    }
}

/// Returns a run and its preferred tip.
pub(super) fn preferred_tip(
    session: &SessionState,
    run: RunId,
) -> Result<(&RunState, NodeId), Refusal> {
    let state = session.run(run).ok_or(Refusal::UnknownRun)?;
    let tip = state.graph.preferred_tip().ok_or(Refusal::UnknownRun)?;
    Ok((state, tip.id))
}
