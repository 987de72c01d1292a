//! A backpack with a journal.

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

/// When a write returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// After its commit is on disk.
    #[default]
    Durable,
    /// At once; its commit is on disk after the next flush.
    Buffered,
}

/// Where a journaled backpack is kept, and the effects that it asks for.
#[derive(Clone)]
pub struct JournalPorts {
    /// The streams of backpacks.
    pub journal: Arc<dyn Journal<BackpackEvent>>,
    /// The large values of backpacks.
    pub blobs: Arc<dyn BlobReader>,
    /// Time and entropy.
    pub ports: BackpackPorts,
}

/// A backpack whose commits go to a journal. Cheap to clone: clones are handles of the same one. The lease is free
/// when all handles and scopes are gone, or after [`close`](Self::close).
#[derive(Clone)]
pub struct JournaledBackpack {
    pub(super) backpack: Backpack,
    pub(super) writer: Arc<JournalWriter>,
    pub(super) ports: JournalPorts,
    mode: Mode,
    holder: Holder,
}

/// What opening found.
pub struct Opened {
    /// The backpack.
    pub backpack: JournaledBackpack,
    /// Bytes at the end of the journal that no write had acknowledged. They are cut off, and kept beside it.
    pub torn_tail: Option<TornTail>,
}

impl JournaledBackpack {
    /// Opens a backpack for writing, or makes it if there is none.
    ///
    /// There is one writer at a time. Another one is refused at once, with the name of the holder.
    pub async fn open(
        id: &BackpackId,
        holder: Holder,
        mode: Mode,
        options: Options,
        ports: JournalPorts,
    ) -> Result<Opened, Error> {
        let lease = lease(id, &ports).await?;
        let events = match ports.journal.load(id.stream()).await {
            Ok(loaded) => loaded.events,
            Err(piton_store::Error::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let replayed = Replayed::whole(id, events, &options.clamped())?;
        let (blobs, inner) = (&*ports.blobs, ports.ports.clone());
        let backpack = replayed.backpack(id.clone(), blobs, options, inner).await?;
        let plan = AppendPlan::new(vec![opened(id, &lease, holder.clone(), &ports.ports)]);
        ports.journal.append(&lease.writer(), plan).await?;
        Ok(Self::begin(backpack, lease, (mode, holder), ports))
    }

    /// Goes on with a backpack whose stream holds everything so far.
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
        backpack.inner.lock().recorder = Some(Arc::clone(&writer) as Arc<dyn Recorder>);
        Opened { backpack: Self { backpack, writer, ports, mode, holder }, torn_tail }
    }

    /// The backpack in memory, for what needs no disk: observers, the debug handle, the recent past. Scopes that are
    /// made from it act at once, and their commits reach the disk with the next write or flush.
    pub fn memory(&self) -> &Backpack {
        &self.backpack
    }

    /// What a node is given.
    pub fn scope(
        &self,
        identity: NodeIdentity,
        permissions: Option<Permissions>,
    ) -> Result<AsyncScope, Error> {
        let scope = self.backpack.scope(identity, permissions)?;
        Ok(AsyncScope::new(scope, Some((Arc::clone(&self.writer), self.mode))))
    }

    /// See [`Backpack::abandon_since`]; returns when it is on disk. The snapshot is one of
    /// [`snapshot_at_commit`](Self::snapshot_at_commit), which has every value.
    pub async fn abandon_since(
        &self,
        snapshot: &Backpack,
        by: NodeIdentity,
    ) -> Result<Vec<CommitId>, Error> {
        self.abandon_keys_since(snapshot, |_| true, by).await
    }

    /// See [`Backpack::abandon_keys_since`]; returns when it is on disk.
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

    /// Returns when everything that was done before the call is on disk.
    pub async fn flush(&self) -> Result<(), Error> {
        self.writer.flush().await
    }

    /// Brings everything to disk and lets others write. Nothing more happens through any handle of it.
    pub async fn close(&self) -> Result<(), Error> {
        self.end().await.map(|_| ())
    }

    /// The same; what is in memory is followed from there. The past of other handles is gone.
    pub async fn close_and_follow(self) -> Result<Followed, Error> {
        let cursor = self.end().await?;
        let mut core = self.backpack.inner.lock();
        let (state, large) = (core.state.clone(), std::mem::take(&mut core.large));
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
        let core = self.backpack.inner.lock();
        self.writer.refuse_more();
        drop(core);
        self.writer.end().await
    }
}

pub(super) async fn lease(id: &BackpackId, ports: &JournalPorts) -> Result<StreamLease, Error> {
    match ports.journal.lease(id.stream()).await {
        Err(piton_store::Error::Locked { .. }) => {
            // The stream is there for its holder to write to, unless that one has only just begun.
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

/// The event that says who writes from here on.
pub(super) fn opened(
    id: &BackpackId,
    lease: &StreamLease,
    holder: Holder,
    ports: &BackpackPorts,
) -> BackpackEvent {
    let body = BackpackEventBody::Opened { holder, timestamp_ms: ports.clock.now_ms() };
    BackpackEvent::new(id, lease.next_event(), EventId::mint(&*ports.entropy), body)
}
