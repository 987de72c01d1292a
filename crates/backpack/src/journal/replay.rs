//! Replaying the events of a stream into a backpack.

use std::collections::BTreeSet;
use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use piton_store::port::{BlobNamespace, BlobReader, JournalReader};
use piton_store::{Event as _, TornTail};

use super::event::{BackpackEvent, BackpackEventBody};
use crate::backpack::{Backpack, BackpackPorts, Options};
use crate::backpack_core::{BackpackCore, LargeValue, LargeValueSlot, LargeValues};
use crate::error::Error;
use crate::history::commit::{Act, Commit};
use crate::history::commit_id::CommitId;
use crate::history::commits::History;
use crate::names::{BackpackId, BackpackOrigin};
use crate::record::Replay;
use crate::state::item::Item;
use crate::state::item_state::ItemState;

/// The result of replaying a stream.
pub(super) struct Replayed {
    pub(super) origin: Option<BackpackOrigin>,
    pub(super) replay: Replay,
}

/// The decision before each commit of a replay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayStep {
    GoOn,
    Stop,
}

impl Replayed {
    /// Replays events within the history budget of `options`. `look` sees every record before it is applied, and may
    /// stop the replay there. `done` sees every commit after it was applied.
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
        // The events of a fork come first and build up the base. The first commit freezes it into a replay.
        let (mut origin, mut base) = (None, ItemState::default());
        let (mut replay, mut unfinished) = (None, None);
        for (place, event) in events.into_iter().enumerate() {
            match event.body() {
                BackpackEventBody::Opened { .. } => {}
                // The last event of a fork: everything carried before it is complete.
                BackpackEventBody::Began { origin: found } => {
                    (origin, unfinished) = (Some(found), None);
                }
                BackpackEventBody::Carried { item } => {
                    // Until that event arrives, remember where the carried state began.
                    unfinished.get_or_insert(place);
                    let item = item.item().map_err(|problem| contradicts(place, &problem))?;
                    base.insert(&Arc::new(item));
                }
                BackpackEventBody::SetAside { entry } => {
                    unfinished.get_or_insert(place);
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

    /// Replays all events, within the history budget of `options`.
    pub(super) fn whole(
        id: &BackpackId,
        events: Vec<BackpackEvent>,
        options: &Options,
    ) -> Result<Self, Error> {
        Self::new(id, events, options, |_, _| ReplayStep::GoOn, |_| {})
    }

    /// Replays further events, which follow the earlier ones. Returns the commits that changed something.
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

    /// Builds the backpack from the replay and the large values that its state refers to.
    pub(super) fn with_values(
        self,
        id: BackpackId,
        large: LargeValues,
        options: Options,
        ports: BackpackPorts,
    ) -> Backpack {
        let Self { origin, replay: Replay { state, history, .. } } = self;
        let core = BackpackCore { history, large, ..BackpackCore::new(state) };
        Backpack::begin((id, origin), core, options, ports)
    }
}

fn begin(base: &ItemState) -> Replay {
    Replay::new(base.clone(), History::new(base.clone(), 0))
}

/// Reads the large values that a state refers to.
///
/// A damaged value is marked as such: only a reader of its key gets an error.
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
        read_value(&mut values, slot, item, blobs).await?;
    }
    Ok(values)
}

/// Updates large values after commits that changed the state.
pub(super) async fn reread_large(
    large: &mut LargeValues,
    state: &ItemState,
    changes: &[Commit],
    blobs: &dyn BlobReader,
) -> Result<(), Error> {
    for commit in changes {
        // Look at the final state of each key, not at the commit: a later commit may have replaced the value already.
        let slot = LargeValueSlot::Active(commit.key.clone());
        large.remove(&slot);
        if let Some(item) = state.items.get(&commit.key) {
            read_value(large, slot, item, blobs).await?;
        }
        if let Act::Quarantine { entry, .. } = &commit.act
            && let Some(item) = &entry.item
        {
            read_value(large, LargeValueSlot::Quarantined(entry.commit), item, blobs).await?;
        }
    }
    // Entries that were pushed out of the full quarantine are no longer in use.
    let held: BTreeSet<CommitId> = state.quarantine.iter().map(|entry| entry.commit).collect();
    large.retain(|slot, _| match slot {
        LargeValueSlot::Active(_) => true,
        LargeValueSlot::Quarantined(commit) => held.contains(commit),
    });
    Ok(())
}

/// Reads the value of an item into its slot. An item without a digest holds its value itself.
async fn read_value(
    large: &mut LargeValues,
    slot: LargeValueSlot,
    item: &Item,
    blobs: &dyn BlobReader,
) -> Result<(), Error> {
    if let Some(digest) = item.content.digest() {
        large.insert(slot, large_value(digest, blobs).await?);
    }
    Ok(())
}

async fn large_value(digest: Digest, blobs: &dyn BlobReader) -> Result<LargeValue, Error> {
    use piton_store::Error::BlobCorrupt;
    let bytes = match blobs.get(BlobNamespace::Backpacks, digest).await {
        Ok(Some(bytes)) => bytes,
        // Damage is not an error here: one unusable value must not keep the whole backpack from being opened.
        Ok(None) | Err(BlobCorrupt { .. }) => return Ok(LargeValue::Damaged),
        Err(error) => return Err(error.into()),
    };
    debug_assert_eq!(Digest::of(&FileBytes(&bytes)), digest, "the store checks what it gives");
    Ok(match String::from_utf8(bytes) {
        Ok(text) => LargeValue::Whole(text.into()),
        Err(_) => LargeValue::Damaged,
    })
}

/// Reads a backpack from its journal, with its whole history. This takes no lease and waits for no writer; changes to
/// the result stay in memory.
///
/// The cost is that of the whole journal, even for a caller that wants only the newest commits: the version of a value,
/// and the value that it replaced, follow from earlier commits and are not recorded.
pub async fn read(
    journal: &dyn JournalReader<BackpackEvent>,
    blobs: &dyn BlobReader,
    id: &BackpackId,
    ports: BackpackPorts,
) -> Result<(Backpack, Option<TornTail>), Error> {
    let loaded = journal.load(id.stream()).await?;
    // No budget: the caller wants to see every commit.
    let options =
        Options { max_history: usize::MAX, history_bytes: usize::MAX, ..Options::default() };
    let replayed = Replayed::whole(id, loaded.events, &options)?;
    let large = large_values(&replayed.replay.state, blobs).await?;
    Ok((replayed.with_values(id.clone(), large, options, ports), loaded.torn_tail))
}

/// Returns the state after a commit of a backpack that was [`read`], as a backpack of its own with every value.
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
