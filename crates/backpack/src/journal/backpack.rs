//! The writer's handle of a backpack with a journal.

use std::sync::Arc;

use piton_core::EventId;
use piton_store::port::{BlobReader, Journal, Patience, StreamLease};
use piton_store::{AppendPlan, TornTail};

use super::event::{BackpackEvent, BackpackEventBody, Holder};
use super::followed::{Followed, KnownStream};
use super::replay::Replayed;
use super::writer::JournalWriter;
use crate::access::permissions::Permissions;
use crate::access::scope::Scope;
use crate::backpack::{Backpack, BackpackPorts, Options};
use crate::error::Error;
use crate::history::commits::History;
use crate::names::{BackpackId, NodeIdentity};
use crate::record::Replay;

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
    pub(super) ports: JournalPorts,
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
        let lease = ports.lease(id, Patience::FailFast).await?;
        let known = KnownStream::load(id, &options.clamped(), &ports).await?;
        let KnownStream { replayed, large, .. } = known;
        let backpack = replayed.with_values(id.clone(), large, options, ports.ports.clone());
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
        let writer = JournalWriter::new(id, journal, (lease, mode), durable);
        // From here on every commit goes to the journal. All earlier ones are already on disk.
        backpack.inner.lock().journal = Some(writer);
        Opened { backpack: Self { backpack, ports, holder }, torn_tail }
    }

    /// Returns the backpack in memory, for everything that needs no disk: observers, the debug handle, the recent past.
    pub fn memory(&self) -> &Backpack {
        &self.backpack
    }

    /// Creates the scope that a node is given, like [`Backpack::scope`].
    pub fn scope(
        &self,
        identity: NodeIdentity,
        permissions: Option<Permissions>,
    ) -> Result<Scope, Error> {
        self.backpack.scope(identity, permissions)
    }

    /// Waits until everything that was done before the call is on disk.
    pub async fn flush(&self) -> Result<(), Error> {
        self.backpack.inner.flush().await
    }

    /// True until the backpack is closed, or an append failed.
    pub fn is_open(&self) -> bool {
        let core = self.backpack.inner.lock();
        core.journal.as_ref().is_some_and(|journal| journal.check_open().is_ok())
    }

    /// Writes everything to disk and releases the lease. All handles of the backpack refuse further acts.
    pub async fn close(&self) -> Result<(), Error> {
        self.backpack.inner.end_journal().await.map(drop)
    }

    /// Like [`close`](Self::close), and continues to follow the backpack from its state in memory. Other handles lose
    /// their past. Nobody else writes to the backpack until the lease that comes with the state is dropped.
    pub async fn close_and_follow(self) -> Result<(Followed, Option<Arc<StreamLease>>), Error> {
        let lease = self.backpack.inner.end_journal().await?;
        // Nothing is read again: everything in memory moves over, and following starts at the end of the stream.
        let mut core = self.backpack.inner.lock();
        let (state, large) = (core.state.clone(), std::mem::take(&mut core.large));
        // Other handles may still be there; they keep a consistent state with an empty history.
        let after = History::new(state.clone(), core.history.next_number());
        let history = std::mem::replace(&mut core.history, after);
        drop(core);
        let origin = self.backpack.inner.origin.clone();
        let replayed = Replayed { origin, replay: Replay::new(state, history) };
        let cursor = lease.as_ref().map(|lease| lease.cursor());
        let known = KnownStream { replayed, large, cursor, holder: Some(self.holder) };
        let (id, options) = (self.backpack.id().clone(), *self.backpack.options());
        Ok((Followed { id, options, ports: self.ports, known }, lease))
    }
}

impl JournalPorts {
    /// Takes the lease of a backpack's stream. There is one writer at a time; an error names the one that has it.
    pub async fn lease(&self, id: &BackpackId, patience: Patience) -> Result<StreamLease, Error> {
        use piton_store::Error::{Busy, Locked};
        let refused = match self.journal.lease_with(id.stream(), patience).await {
            Ok(lease) => return Ok(lease),
            Err(refused @ (Locked { .. } | Busy { .. })) => refused,
            Err(error) => return Err(error.into()),
        };
        let holder = self.last_holder(id).await;
        Err(match refused {
            Busy { waited_ms, .. } => {
                let by = holder.map_or_else(String::new, |holder| format!(", opened by {holder}"));
                Busy { what: format!("the backpack {id}{by}"), waited_ms }.into()
            }
            _ => Error::Locked { id: id.clone(), holder: holder.map(Holder::into_string) },
        })
    }

    /// Returns the last one that opened a backpack for writing. It may have closed it since.
    pub async fn last_holder(&self, id: &BackpackId) -> Option<Holder> {
        // The stream usually exists, since its holder writes to it, unless the holder has only just started.
        let events = self.journal.load(id.stream()).await.ok()?.events;
        events.iter().rev().find_map(BackpackEvent::holder).cloned()
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
