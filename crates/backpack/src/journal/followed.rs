//! A backpack that is written to occasionally and read in between, while others write to it too.
//!
//! Everything that was read is kept. The next look, and the next opening, cost only what others appended since.
//!
//! *Invariants*: a followed backpack holds no lease. Its known state was read under a lease, or is read again under
//! one: only [`Followed::open`] leads to writing, and it catches up after it has taken the lease.

use piton_core::EventIndex;
use piton_store::AppendPlan;
use piton_store::port::{Cursor, Follow, LoadedStream, StreamLease};

use super::backpack::{JournalPorts, JournaledBackpack, Mode, opened};
use super::event::{BackpackEvent, Holder};
use super::replay::{Replayed, large_values, reread_large};
use crate::backpack::{Backpack, Options};
use crate::backpack_core::{BackpackCore, LargeValues};
use crate::error::Error;
use crate::history::commits::History;
use crate::names::BackpackId;

/// A backpack as of the last time it was read.
pub struct Followed {
    pub(super) id: BackpackId,
    pub(super) options: Options,
    pub(super) ports: JournalPorts,
    pub(super) known: KnownStream,
}

/// Everything known about the stream.
pub(super) struct KnownStream {
    pub(super) replayed: Replayed,
    pub(super) large: LargeValues,
    /// The end of the part that was read. Absent if there is no stream yet, or if what is known must not be continued.
    pub(super) cursor: Option<Cursor>,
    /// The process that opened it last.
    pub(super) holder: Option<Holder>,
}

impl KnownStream {
    /// Reads a whole stream. One that does not exist is empty.
    pub(super) async fn load(
        id: &BackpackId,
        options: &Options,
        ports: &JournalPorts,
    ) -> Result<Self, Error> {
        let (events, cursor) = match ports.journal.load(id.stream()).await {
            Ok(LoadedStream { events, cursor, .. }) => (events, Some(cursor)),
            Err(piton_store::Error::NotFound { .. }) => (Vec::new(), None),
            Err(error) => return Err(error.into()),
        };
        let holder = events.iter().rev().find_map(BackpackEvent::holder).cloned();
        let replayed = Replayed::whole(id, events, options)?;
        let large = large_values(&replayed.replay.state, &*ports.blobs).await?;
        Ok(Self { replayed, large, cursor, holder })
    }
}

impl Followed {
    /// Reads a backpack from its journal. A backpack that was never written to is empty.
    pub async fn find(
        id: &BackpackId,
        options: Options,
        ports: JournalPorts,
    ) -> Result<Self, Error> {
        let options = options.clamped();
        let known = KnownStream::load(id, &options, &ports).await?;
        Ok(Self { id: id.clone(), options, ports, known })
    }

    /// Returns the id of the backpack.
    pub fn id(&self) -> &BackpackId {
        &self.id
    }

    /// Reads what others appended.
    pub async fn catch_up(&mut self) -> Result<(), Error> {
        // Without a cursor there is nothing to continue from: read the whole stream.
        let Some(cursor) = &self.known.cursor else {
            self.known = KnownStream::load(&self.id, &self.options, &self.ports).await?;
            return Ok(());
        };
        match self.ports.journal.follow(self.id.stream(), cursor).await {
            Ok(Follow::Unchanged) => Ok(()),
            Ok(Follow::Appended { events, cursor }) => self.take_in(events, cursor).await,
            // The stream was rolled back, deleted or rewritten, so what is known may be wrong altogether.
            Ok(Follow::Replaced) | Err(piton_store::Error::NotFound { .. }) => {
                self.known = KnownStream::load(&self.id, &self.options, &self.ports).await?;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn take_in(&mut self, events: Vec<BackpackEvent>, cursor: Cursor) -> Result<(), Error> {
        let KnownStream { replayed, large, holder, cursor: known } = &mut self.known;
        if let Some(newest) = events.iter().rev().find_map(BackpackEvent::holder) {
            *holder = Some(newest.clone());
        }
        // A failure below leaves the state half updated. Without a cursor, the next attempt reads everything again.
        *known = None;
        let touched = replayed.add(&self.id, events, &self.options)?;
        reread_large(large, &replayed.replay.state, &touched, &*self.ports.blobs).await?;
        *known = Some(cursor);
        Ok(())
    }

    /// Returns the state that was found last, as a backpack of its own without a past.
    pub fn state(&self) -> Backpack {
        self.backpack(History::new(self.known.replayed.replay.state.clone(), 0))
    }

    /// Returns the state with the part of its past that is in memory, and the number of older commits.
    pub fn recent(&self) -> (Backpack, u64) {
        let history = &self.known.replayed.replay.history;
        (self.backpack(history.clone()), history.dropped())
    }

    fn backpack(&self, history: History) -> Backpack {
        let KnownStream { replayed: Replayed { origin, replay }, large, .. } = &self.known;
        let (id, large) = ((self.id.clone(), origin.clone()), large.clone());
        let core = BackpackCore { history, large, ..BackpackCore::new(replay.state.clone()) };
        Backpack::begin(id, core, self.options, self.ports.ports.clone())
    }

    /// Opens the backpack for writing, like [`JournaledBackpack::open`], under a lease of its stream. The opening is
    /// recorded only if another holder was the last to open it.
    pub async fn open(
        mut self,
        lease: StreamLease,
        holder: Holder,
        mode: Mode,
    ) -> Result<JournaledBackpack, Error> {
        debug_assert_eq!(lease.stream(), self.id.stream());
        // Catch up only under the lease: nobody else appends.
        self.catch_up().await?;
        let reached = self.known.cursor.as_ref().map_or(EventIndex::ZERO, Cursor::next_event);
        if reached != lease.next_event() {
            // A reader without the lease leaves out events that may be unfinished. Under the lease, all are final.
            self.known = KnownStream::load(&self.id, &self.options, &self.ports).await?;
        }
        if self.known.holder.as_ref() != Some(&holder) {
            let event = opened(&self.id, &lease, holder.clone(), &self.ports.ports);
            self.ports.journal.append(&lease.writer(), AppendPlan::new(vec![event])).await?;
        }
        let Self { id, options, ports, known: KnownStream { replayed, large, .. } } = self;
        let backpack = replayed.with_values(id, large, options, ports.ports.clone());
        Ok(JournaledBackpack::begin(backpack, lease, (mode, holder), ports).backpack)
    }
}
