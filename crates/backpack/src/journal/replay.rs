//! From the events of a stream to a backpack.

use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use piton_store::port::{BlobNamespace, BlobReader, JournalReader};
use piton_store::{Event as _, TornTail};

use super::event::{BackpackEvent, BackpackEventBody};
use crate::backpack::Backpack;
use crate::backpack_core::{InitialState, LargeValue, LargeValueSlot, LargeValues};
use crate::backpack_id::BackpackId;
use crate::backpack_origin::BackpackOrigin;
use crate::commit::{Act, Commit};
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::history::History;
use crate::item_state::ItemState;
use crate::options::{BackpackPorts, Options};
use crate::record::Replay;

/// What a stream holds, done again.
pub(super) struct Replayed {
    pub(super) origin: Option<BackpackOrigin>,
    pub(super) replay: Replay,
}

/// What to do after a commit of a replay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayStep {
    GoOn,
    Stop,
}

impl Replayed {
    /// Does events again, within the budget of `options`. `look` sees every commit before it is done, as it will be
    /// recorded, and may stop there.
    pub(super) fn new(
        id: &BackpackId,
        events: Vec<BackpackEvent>,
        options: &Options,
        mut look: impl FnMut(&crate::record::CommitRecord, &Replay) -> ReplayStep,
        mut done: impl FnMut(&Commit),
    ) -> Result<Self, Error> {
        let contradicts = |place: usize, problem: &dyn std::fmt::Display| Error::BadStream {
            id: id.clone(),
            event: place as u64,
            problem: problem.to_string(),
        };
        let (mut origin, mut base) = (None, ItemState::default());
        let (mut replay, mut unfinished) = (None, None);
        for (place, event) in events.into_iter().enumerate() {
            match event.body() {
                BackpackEventBody::Opened { .. } => {}
                BackpackEventBody::Began { origin: found } => {
                    (origin, unfinished) = (Some(found), None)
                }
                BackpackEventBody::Carried { item } => {
                    unfinished.get_or_insert(place);
                    let item = item.item().map_err(|problem| contradicts(place, &problem))?;
                    base.insert(&Arc::new(item));
                }
                BackpackEventBody::SetAside { entry } => {
                    let entry = entry.entry().map_err(|problem| contradicts(place, &problem))?;
                    base.set_aside(Arc::new(entry));
                }
                BackpackEventBody::Committed { commit } => {
                    let replay = replay.get_or_insert_with(|| begin(&base));
                    if look(&commit, replay) == ReplayStep::Stop {
                        break;
                    }
                    let commit = replay
                        .add(commit, options)
                        .map_err(|problem| contradicts(place, &problem))?;
                    done(&commit);
                }
            }
        }
        if let Some(place) = unfinished {
            return Err(contradicts(place, &"it belongs to a fork that was cut off; fork again"));
        }
        Ok(Self { origin, replay: replay.unwrap_or_else(|| begin(&base)) })
    }

    /// Everything, within the budget of `options`.
    pub(super) fn whole(
        id: &BackpackId,
        events: Vec<BackpackEvent>,
        options: &Options,
    ) -> Result<Self, Error> {
        Self::new(id, events, options, |_, _| ReplayStep::GoOn, |_| {})
    }

    /// Does more events, which follow those before; gives the commits that changed something.
    pub(super) fn add(
        &mut self,
        id: &BackpackId,
        events: Vec<BackpackEvent>,
        options: &Options,
    ) -> Result<Vec<Commit>, Error> {
        let mut changes = Vec::new();
        for event in events {
            let place = event.index();
            let problem = match event.body() {
                BackpackEventBody::Opened { .. } => continue,
                BackpackEventBody::Committed { commit } => match self.replay.add(commit, options) {
                    Ok(commit) => {
                        changes.extend(commit.is_change().then_some(commit));
                        continue;
                    }
                    Err(problem) => problem.to_string(),
                },
                BackpackEventBody::Began { .. }
                | BackpackEventBody::Carried { .. }
                | BackpackEventBody::SetAside { .. } => {
                    "it belongs to the beginning of a backpack".to_owned()
                }
            };
            return Err(Error::BadStream { id: id.clone(), event: place.get(), problem });
        }
        Ok(changes)
    }

    /// The backpack that it leads to.
    pub(super) async fn backpack(
        self,
        id: BackpackId,
        blobs: &dyn BlobReader,
        options: Options,
        ports: BackpackPorts,
    ) -> Result<Backpack, Error> {
        let large = large_values(&self.replay.state, blobs).await?;
        Ok(self.with_values(id, large, options, ports))
    }

    /// The same with the large values that its state refers to.
    pub(super) fn with_values(
        self,
        id: BackpackId,
        large: LargeValues,
        options: Options,
        ports: BackpackPorts,
    ) -> Backpack {
        let Self { origin, replay: Replay { state, history, .. } } = self;
        let permissions = imbl::OrdMap::new();
        let beginning = InitialState { id, origin, state, history, large, permissions };
        Backpack::begin(beginning, options, ports)
    }
}

fn begin(base: &ItemState) -> Replay {
    Replay::new(base.clone(), History::new(base.clone(), 0))
}

/// The large values that a state refers to.
///
/// One that is damaged is marked as such: whoever reads that key learns of it, and nobody else does.
pub(super) async fn large_values(
    state: &ItemState,
    blobs: &dyn BlobReader,
) -> Result<LargeValues, Error> {
    let active = state.items.values().map(|item| (LargeValueSlot::Active(item.key.clone()), item));
    let aside = state.quarantine.iter().filter_map(|entry| {
        Some((LargeValueSlot::Quarantined(entry.commit), entry.item.as_ref()?))
    });
    let mut values = LargeValues::new();
    for (slot, item) in active.chain(aside) {
        if let Some(digest) = item.content.digest() {
            values.insert(slot, large_value(digest, blobs).await?);
        }
    }
    Ok(values)
}

/// Brings large values up to date with what commits changed.
pub(super) async fn reread_large(
    large: &mut LargeValues,
    state: &ItemState,
    changes: &[Commit],
    blobs: &dyn BlobReader,
) -> Result<(), Error> {
    for commit in changes {
        let slot = LargeValueSlot::Active(commit.key.clone());
        large.remove(&slot);
        if let Some(item) = state.items.get(&commit.key)
            && let Some(digest) = item.content.digest()
        {
            large.insert(slot, large_value(digest, blobs).await?);
        }
        if let Act::Quarantine { entry, .. } = &commit.act
            && let Some(item) = &entry.item
            && let Some(digest) = item.content.digest()
        {
            let value = large_value(digest, blobs).await?;
            large.insert(LargeValueSlot::Quarantined(entry.commit), value);
        }
    }
    // What left the quarantine for want of room is in use no more.
    let oldest = state.quarantine.front().map(|entry| entry.commit);
    large.retain(|slot, _| match slot {
        LargeValueSlot::Active(_) => true,
        LargeValueSlot::Quarantined(commit) => oldest.is_some_and(|oldest| *commit >= oldest),
    });
    Ok(())
}

async fn large_value(digest: Digest, blobs: &dyn BlobReader) -> Result<LargeValue, Error> {
    use piton_store::Error::BlobCorrupt;
    let bytes = match blobs.get(BlobNamespace::Backpacks, digest).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) | Err(BlobCorrupt { .. }) => return Ok(LargeValue::Damaged),
        Err(error) => return Err(error.into()),
    };
    debug_assert_eq!(Digest::of(&FileBytes(&bytes)), digest, "the store checks what it gives");
    Ok(match String::from_utf8(bytes) {
        Ok(text) => LargeValue::Whole(text.into()),
        Err(_) => LargeValue::Damaged,
    })
}

/// A backpack as its journal holds it now, with its whole history, for reading. It takes no lease and waits for no
/// writer; what is done to it stays in memory.
///
/// It costs what the journal holds, also for who wants the newest commits alone: the version of a value, and whose it
/// replaced, follow from the commits before it and are in no record.
pub async fn read(
    journal: &dyn JournalReader<BackpackEvent>,
    blobs: &dyn BlobReader,
    id: &BackpackId,
    ports: BackpackPorts,
) -> Result<(Backpack, Option<TornTail>), Error> {
    let loaded = journal.load(id.stream()).await?;
    let options =
        Options { max_history: usize::MAX, history_bytes: usize::MAX, ..Options::default() };
    let replayed = Replayed::whole(id, loaded.events, &options)?;
    let backpack = replayed.backpack(id.clone(), blobs, options, ports).await?;
    Ok((backpack, loaded.torn_tail))
}

/// The state after a commit of a backpack that was [`read`], as a backpack of its own, with every value.
pub async fn read_at(
    backpack: &Backpack,
    id: CommitId,
    blobs: &dyn BlobReader,
) -> Result<Backpack, Error> {
    let found = backpack.inner.lock().history.at_commit(id);
    let past = found?.folded();
    let large = large_values(&past.base, blobs).await?;
    Ok(backpack.descend(past, large, backpack.declared()))
}
