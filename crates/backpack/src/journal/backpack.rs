//! The writer's handle of a backpack with a journal.

use std::sync::Arc;

use piton_core::EventId;
use piton_store::port::{BlobReader, Cursor, Journal, StreamLease};
use piton_store::{AppendPlan, TornTail};

use super::event::{BackpackEvent, BackpackEventBody, Holder};
use super::followed::{Followed, KnownStream};
use super::replay::Replayed;
use super::scope::AsyncScope;
use super::writer::JournalWriter;
use crate::backpack::Backpack;
use crate::backpack_id::BackpackId;
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::history::History;
use crate::node_identity::NodeIdentity;
use crate::options::{BackpackPorts, Options};
use crate::permissions::Permissions;
use crate::record::Replay;
use crate::recorder::Recorder;
use crate::text::Key;

/// The point at which a write returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// After the commit is on disk.
    #[default]
    Durable,
    /// At once. The commit is on disk after the next flush.
    Buffered,
}

/// Storage and effects of a journaled backpack.
#[derive(Clone)]
pub struct JournalPorts {
    /// The streams of backpacks.
    pub journal: Arc<dyn Journal<BackpackEvent>>,
    /// The large values of backpacks.
    pub blobs: Arc<dyn BlobReader>,
    /// Time and entropy.
    pub ports: BackpackPorts,
}

/// A backpack whose commits go to a journal. Cheap to clone: clones are handles to the same backpack. The lease is
/// released when all handles and scopes are dropped, or by [`close`](Self::close).
#[derive(Clone)]
pub struct JournaledBackpack {
    pub(super) backpack: Backpack,
    pub(super) writer: Arc<JournalWriter>,
    pub(super) ports: JournalPorts,
    mode: Mode,
    holder: Holder,
}

/// The result of opening a backpack.
pub struct Opened {
    pub backpack: JournaledBackpack,
    /// Bytes at the end of the journal that no write acknowledged. They are cut off, and kept beside the journal.
    pub torn_tail: Option<TornTail>,
}

impl JournaledBackpack {
    /// Opens a backpack for writing, or creates it if it does not exist.
    ///
    /// There is one writer at a time. A second one is refused at once, with the name of the holder.
    pub async fn open(
        id: &BackpackId,
        holder: Holder,
        mode: Mode,
        options: Options,
        ports: JournalPorts,
    ) -> Result<Opened, Error> {
        // The lease comes first: nothing can be appended between reading the stream and writing to it.
        let lease = lease(id, &ports).await?;
        let events = match ports.journal.load(id.stream()).await {
            Ok(loaded) => loaded.events,
            Err(piton_store::Error::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let replayed = Replayed::whole(id, events, &options.clamped())?;
        let (blobs, inner) = (&*ports.blobs, ports.ports.clone());
        let backpack = replayed.backpack(id.clone(), blobs, options, inner).await?;
        // Recorded so that a process that is refused the lease can say who holds it.
        let plan = AppendPlan::new(vec![opened(id, &lease, holder.clone(), &ports.ports)]);
        ports.journal.append(&lease.writer(), plan).await?;
        Ok(Self::begin(backpack, lease, (mode, holder), ports))
    }

    /// Attaches the writer to a backpack whose stream holds everything so far.
    pub(super) fn begin(
        backpack: Backpack,
        lease: StreamLease,
        (mode, holder): (Mode, Holder),
        ports: JournalPorts,
    ) -> Opened {
        let torn_tail = lease.torn_tail();
        let (id, durable) = (backpack.id().clone(), backpack.debug().commit_count());
        let journal = Arc::clone(&ports.journal);
        let writer = Arc::new(JournalWriter::new(id, journal, lease, durable));
        // From here on every commit goes to the journal. All earlier ones are already on disk.
        backpack.inner.lock().recorder = Some(Arc::clone(&writer) as Arc<dyn Recorder>);
        Opened { backpack: Self { backpack, writer, ports, mode, holder }, torn_tail }
    }

    /// Returns the backpack in memory, for everything that needs no disk: observers, the debug handle, the recent past.
    /// Scopes created from it act at once, and their commits reach the disk with the next write or flush.
    pub fn memory(&self) -> &Backpack {
        &self.backpack
    }

    /// Creates the scope that a node is given.
    pub fn scope(
        &self,
        identity: NodeIdentity,
        permissions: Option<Permissions>,
    ) -> Result<AsyncScope, Error> {
        let scope = self.backpack.scope(identity, permissions)?;
        Ok(AsyncScope::new(scope, Some((Arc::clone(&self.writer), self.mode))))
    }

    /// Like [`Backpack::abandon_since`], but returns once the commits are on disk. Use a snapshot of
    /// [`snapshot_at_commit`](Self::snapshot_at_commit), which has every value.
    pub async fn abandon_since(
        &self,
        snapshot: &Backpack,
        by: NodeIdentity,
    ) -> Result<Vec<CommitId>, Error> {
        self.abandon_keys_since(snapshot, |_| true, by).await
    }

    /// Like [`Backpack::abandon_keys_since`], but returns once the commits are on disk.
    pub async fn abandon_keys_since(
        &self,
        snapshot: &Backpack,
        is_meant: impl Fn(&Key) -> bool,
        by: NodeIdentity,
    ) -> Result<Vec<CommitId>, Error> {
        let commits = self.backpack.abandon_keys_since(snapshot, is_meant, by)?;
        self.flush().await?;
        Ok(commits)
    }

    /// Waits until everything that was done before the call is on disk.
    pub async fn flush(&self) -> Result<(), Error> {
        self.writer.flush().await
    }

    /// Writes everything to disk and releases the lease. All handles of the backpack refuse further acts.
    pub async fn close(&self) -> Result<(), Error> {
        self.end().await.map(|_| ())
    }

    /// Like [`close`](Self::close), and continues to follow the backpack from its state in memory. Other handles lose
    /// their past.
    pub async fn close_and_follow(self) -> Result<Followed, Error> {
        let cursor = self.end().await?;
        // Nothing is read again: everything in memory moves over, and following starts at the end of the stream.
        let mut core = self.backpack.inner.lock();
        let (state, large) = (core.state.clone(), std::mem::take(&mut core.large));
        // Other handles may still be there; they keep a consistent state with an empty history.
        let after = History::new(state.clone(), core.history.next_number());
        let history = std::mem::replace(&mut core.history, after);
        drop(core);
        let origin = self.backpack.inner.origin.clone();
        let replayed = Replayed { origin, replay: Replay::new(state, history) };
        let known = KnownStream { replayed, large, cursor, holder: Some(self.holder) };
        let (id, options) = (self.backpack.id().clone(), *self.backpack.options());
        Ok(Followed::go_on(id, options, self.ports, known))
    }

    async fn end(&self) -> Result<Option<Cursor>, Error> {
        // Under the lock of the backpack no commit is being made, so none can slip in after the last flush.
        let core = self.backpack.inner.lock();
        self.writer.refuse_more();
        drop(core);
        self.writer.end().await
    }
}

pub(super) async fn lease(id: &BackpackId, ports: &JournalPorts) -> Result<StreamLease, Error> {
    match ports.journal.lease(id.stream()).await {
        Err(piton_store::Error::Locked { .. }) => {
            // The stream usually exists, since its holder writes to it, unless the holder has only just started.
            let events = match ports.journal.load(id.stream()).await {
                Ok(loaded) => loaded.events,
                Err(_) => Vec::new(),
            };
            let holder = events.iter().rev().find_map(BackpackEvent::holder).cloned();
            Err(Error::Locked { id: id.clone(), holder: holder.map(Holder::into_string) })
        }
        outcome => Ok(outcome?),
    }
}

/// Builds the event that names the new writer.
pub(super) fn opened(
    id: &BackpackId,
    lease: &StreamLease,
    holder: Holder,
    ports: &BackpackPorts,
) -> BackpackEvent {
    let body = BackpackEventBody::Opened { holder, timestamp_ms: ports.clock.now_ms() };
    BackpackEvent::new(id, lease.next_event(), EventId::mint(&*ports.entropy), body)
}
