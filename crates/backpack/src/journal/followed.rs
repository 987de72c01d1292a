//! A backpack that is written to now and then, and read in between; others write to it too.
//!
//! What was read once is kept. The next look, and the next time it is opened, cost what others appended since.
//!
//! *Invariants*: nobody holds the backpack while it is followed. What it is known to hold was read under a lease or is
//! read again by it: only [`Followed::open`] leads to writing, and that catches up after it has the lease.

use piton_core::EventIndex;
use piton_store::AppendPlan;
use piton_store::port::{Cursor, Follow, LoadedStream};

use super::backpack::{JournalPorts, JournaledBackpack, Mode, lease, opened};
use super::event::{BackpackEvent, Holder};
use super::replay::{Replayed, large_values, reread_large};
use crate::backpack::Backpack;
use crate::backpack_core::{InitialState, LargeValues};
use crate::backpack_id::BackpackId;
use crate::error::Error;
use crate::history::History;
use crate::options::Options;

/// A backpack as it was found the last time.
pub struct Followed {
    id: BackpackId,
    options: Options,
    ports: JournalPorts,
    known: KnownStream,
}

/// What is known of its stream.
pub(super) struct KnownStream {
    pub(super) replayed: Replayed,
    pub(super) large: LargeValues,
    /// Where the reading ended; nothing if there is no stream yet.
    pub(super) cursor: Option<Cursor>,
    /// Who opened it last.
    pub(super) holder: Option<Holder>,
}

impl Followed {
    /// Reads a backpack as its journal holds it now. One that nobody wrote to is empty.
    pub async fn find(
        id: &BackpackId,
        options: Options,
        ports: JournalPorts,
    ) -> Result<Self, Error> {
        let options = options.clamped();
        let known = load(id, &options, &ports).await?;
        Ok(Self { id: id.clone(), options, ports, known })
    }

    /// Goes on with what a backpack held when it was closed.
    pub(super) fn go_on(
        id: BackpackId,
        options: Options,
        ports: JournalPorts,
        known: KnownStream,
    ) -> Self {
        Self { id, options, ports, known }
    }

    /// Which backpack.
    pub fn id(&self) -> &BackpackId {
        &self.id
    }

    /// Reads what others appended.
    pub async fn catch_up(&mut self) -> Result<(), Error> {
        let Some(cursor) = &self.known.cursor else {
            self.known = load(&self.id, &self.options, &self.ports).await?;
            return Ok(());
        };
        match self.ports.journal.follow(self.id.stream(), cursor).await {
            Ok(Follow::Unchanged) => Ok(()),
            Ok(Follow::Appended { events, cursor }) => self.take_in(events, cursor).await,
            Ok(Follow::Replaced) | Err(piton_store::Error::NotFound { .. }) => {
                self.known = load(&self.id, &self.options, &self.ports).await?;
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
        // Whatever fails below leaves something half taken in, which must not be gone on with.
        *known = None;
        let touched = replayed.add(&self.id, events, &self.options)?;
        reread_large(large, &replayed.replay.state, &touched, &*self.ports.blobs).await?;
        *known = Some(cursor);
        Ok(())
    }

    /// The state that was found the last time, as a backpack of its own without a past.
    pub fn state(&self) -> Backpack {
        self.backpack(History::new(self.known.replayed.replay.state.clone(), 0))
    }

    /// The same with what is in memory of its past, and how many older commits are not.
    pub fn recent(&self) -> (Backpack, u64) {
        let history = &self.known.replayed.replay.history;
        (self.backpack(history.clone()), history.dropped())
    }

    fn backpack(&self, history: History) -> Backpack {
        let KnownStream { replayed: Replayed { origin, replay }, large, .. } = &self.known;
        let (state, permissions) = (replay.state.clone(), imbl::OrdMap::new());
        let (id, origin, large) = (self.id.clone(), origin.clone(), large.clone());
        let beginning = InitialState { id, origin, state, history, large, permissions };
        Backpack::begin(beginning, self.options, self.ports.ports.clone())
    }

    /// Opens it for writing, as [`JournaledBackpack::open`] does. That it was opened is recorded only if somebody else
    /// was the last to do so.
    pub async fn open(mut self, holder: Holder, mode: Mode) -> Result<JournaledBackpack, Error> {
        let lease = lease(&self.id, &self.ports).await?;
        self.catch_up().await?;
        let reached = self.known.cursor.as_ref().map_or(EventIndex::ZERO, Cursor::next_event);
        if reached != lease.next_event() {
            // A reader without the lease leaves out what may not be finished; with it, everything is.
            self.known = load(&self.id, &self.options, &self.ports).await?;
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

async fn load(
    id: &BackpackId,
    options: &Options,
    ports: &JournalPorts,
) -> Result<KnownStream, Error> {
    let (events, cursor) = match ports.journal.load(id.stream()).await {
        Ok(LoadedStream { events, cursor, .. }) => (events, Some(cursor)),
        Err(piton_store::Error::NotFound { .. }) => (Vec::new(), None),
        Err(error) => return Err(error.into()),
    };
    let holder = events.iter().rev().find_map(BackpackEvent::holder).cloned();
    let replayed = Replayed::whole(id, events, options)?;
    let large = large_values(&replayed.replay.state, &*ports.blobs).await?;
    Ok(KnownStream { replayed, large, cursor, holder })
}
