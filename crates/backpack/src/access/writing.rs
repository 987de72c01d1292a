//! Writes of a node.
//!
//! *Invariants*: everything that can be refused is refused before anything changes.

use std::sync::Arc;

use piton_core::{BoundedText, Digest, FileBytes};
use serde::Serialize;

use super::permissions::{Missing, Operation};
use super::scope::Scope;
use crate::backpack_core::{BackpackCore, CommitStamp, LargeValue, LargeValueSlot};
use crate::bounds::{ITEMS_MAX, QUARANTINE_MAX, REASON_BYTES_MAX};
use crate::error::Error;
use crate::history::commit::Act;
use crate::history::commit_id::CommitId;
use crate::names::Key;
use crate::state::item::{Item, encode};
use crate::state::labels::{Labels, PackOptions};
use crate::state::quarantined::{Quarantined, Reason};

/// An encoded value, ready to be stored.
struct Prepared {
    text: Arc<str>,
    /// The digest of its future blob, if the value is too large for the history.
    digest: Option<Digest>,
}

impl Prepared {
    fn new<T: Serialize + ?Sized>(scope: &Scope, key: &Key, value: &T) -> Result<Self, Error> {
        let text = encode(key, value)?;
        let is_large = text.len() > scope.inner.options.max_value_size;
        // Hashing happens here, outside of the lock: a value may have 64 MiB.
        let digest = is_large.then(|| Digest::of(&FileBytes(text.as_bytes())));
        Ok(Self { text, digest })
    }

    fn item(&self, scope: &Scope, key: Key, stamp: CommitStamp, version: u64) -> Item {
        Item {
            key,
            content: scope.inner.content(&self.text, self.digest),
            source: Arc::clone(&scope.identity),
            timestamp: stamp.timestamp,
            version,
            labels: None,
        }
    }

    /// Keeps the value in `slot` if the item itself does not hold it, and frees the slot otherwise.
    fn keep_large_value(self, core: &mut BackpackCore, slot: LargeValueSlot, item: &Item) {
        if item.is_available() {
            core.large.remove(&slot);
        } else {
            core.large.insert(slot, LargeValue::Whole(self.text));
        }
    }
}

pub(crate) fn pack<T: Serialize + ?Sized>(
    scope: &Scope,
    key: Key,
    value: &T,
    options: &PackOptions,
) -> Result<WriteOutcome, Error> {
    // Encoding and checking need no lock, so a slow or invalid value never delays other nodes.
    let prepared = Prepared::new(scope, &key, value)?;
    options.onto(Labels::NONE).check()?;
    scope.inner.act(&scope.identity, |core| {
        let before = core.state.items.get(&key).cloned();
        if !scope.asker().may_write(&key, before.as_deref(), Missing::Made) {
            return refuse(scope, core, &key, Operation::Write);
        }
        // Only a new key needs room.
        if before.is_none() && core.state.items.len() >= ITEMS_MAX {
            return Err(Error::Full { key });
        }
        let Ok(labels) = labels_of(scope, before.as_deref(), options) else {
            return refuse(scope, core, &key, Operation::Label);
        };
        // Nothing below can fail.
        let stamp = scope.inner.stamp(core);
        let version = before.as_ref().map_or(0, |item| item.version) + 1;
        // Share the key of the replaced item instead of keeping it twice.
        let key = before.as_ref().map_or(key, |item| item.key.clone());
        let after = Arc::new(Item { labels, ..prepared.item(scope, key.clone(), stamp, version) });
        // The slot matters only if either item is large. It is filled before the commit, which looks it up.
        if !after.is_available() || before.as_ref().is_some_and(|item| !item.is_available()) {
            prepared.keep_large_value(core, LargeValueSlot::Active(key.clone()), &after);
        }
        let size = after.size();
        Ok(change(scope, core, stamp, (key, size), Act::Pack { before, after }))
    })
}

/// The error for labels that the node may not change.
struct LabelsFixed;

/// Computes the labels of the item after the pack.
fn labels_of(
    scope: &Scope,
    before: Option<&Item>,
    options: &PackOptions,
) -> Result<Option<Arc<Labels>>, LabelsFixed> {
    let some = |labels: Labels| (!labels.is_empty()).then(|| Arc::new(labels));
    match before {
        None if options.is_silent() => Ok(None),
        None => Ok(some(options.onto(Labels::NONE))),
        Some(item) if options.is_silent() => Ok(item.labels.clone()),
        Some(item) => {
            let labels = options.onto(item.labels());
            // Setting the labels that the item already has is no change, so it needs no permission.
            if labels == *item.labels() {
                return Ok(item.labels.clone());
            }
            if scope.asker().may_label(item) { Ok(some(labels)) } else { Err(LabelsFixed) }
        }
    }
}

pub(crate) fn delete(scope: &Scope, key: Key) -> Result<WriteOutcome, Error> {
    scope.inner.act(&scope.identity, |core| {
        let before = core.state.items.get(&key).cloned();
        if !scope.asker().may_write(&key, before.as_deref(), Missing::Wanted) {
            return refuse(scope, core, &key, Operation::Write);
        }
        // The node may write this key, so it may also learn that the key is absent.
        let Some(before) = before else { return Ok(WriteOutcome::Missing) };
        let stamp = scope.inner.stamp(core);
        // The history keeps the item; its large value is gone from memory, but stays in the journal if there is one.
        core.large.remove(&LargeValueSlot::Active(key.clone()));
        let size = before.size();
        Ok(change(scope, core, stamp, (key, size), Act::Delete { before }))
    })
}

pub(crate) fn quarantine(
    scope: &Scope,
    key: Key,
    reason: &str,
    keep_in_trace: bool,
) -> Result<WriteOutcome, Error> {
    let reason = checked(reason)?;
    scope.inner.act(&scope.identity, |core| {
        let before = core.state.items.get(&key).cloned();
        if !scope.asker().may_write(&key, before.as_deref(), Missing::Wanted) {
            return refuse(scope, core, &key, Operation::Write);
        }
        let Some(before) = before else { return Ok(WriteOutcome::Missing) };
        let stamp = scope.inner.stamp(core);
        // The large value moves to the slot of the quarantined entry, unless the trace is not to keep it.
        let large = core.large.remove(&LargeValueSlot::Active(key.clone()));
        if let Some(text) = large.filter(|_| keep_in_trace) {
            core.large.insert(LargeValueSlot::Quarantined(stamp.id), text);
        }
        let size = before.size();
        let item = keep_in_trace.then_some(before);
        let entry = set_aside(scope, core, stamp, &key, (reason, size, item));
        let act = Act::Quarantine { entry, was_active: true };
        Ok(change(scope, core, stamp, (key, size), act))
    })
}

pub(crate) fn quarantine_value<T: Serialize + ?Sized>(
    scope: &Scope,
    key: Key,
    value: &T,
    reason: &str,
) -> Result<WriteOutcome, Error> {
    let reason = checked(reason)?;
    let prepared = Prepared::new(scope, &key, value)?;
    scope.inner.act(&scope.identity, |core| {
        // No permission is checked: the value never becomes visible to any node.
        let stamp = scope.inner.stamp(core);
        let item = Arc::new(prepared.item(scope, key.clone(), stamp, 0));
        let size = item.size();
        prepared.keep_large_value(core, LargeValueSlot::Quarantined(stamp.id), &item);
        let entry = set_aside(scope, core, stamp, &key, (reason, size, Some(item)));
        let act = Act::Quarantine { entry, was_active: false };
        let commit = scope.inner.commit(core, stamp, scope.by(), key, act);
        Ok(WriteOutcome::Done { commit, size })
    })
}

/// Builds the quarantine entry of a commit, and frees the large value of the oldest entry if that has to leave.
fn set_aside(
    scope: &Scope,
    core: &mut BackpackCore,
    stamp: CommitStamp,
    key: &Key,
    (reason, size, item): (Reason, u64, Option<Arc<Item>>),
) -> Arc<Quarantined> {
    // Applying the commit drops the oldest entry; its large value would stay in memory forever.
    if core.state.quarantine.len() >= QUARANTINE_MAX
        && let Some(oldest) = core.state.quarantine.front()
    {
        core.large.remove(&LargeValueSlot::Quarantined(oldest.commit));
    }
    let (commit, timestamp) = (stamp.id, stamp.timestamp);
    let by = Arc::clone(&scope.identity);
    Arc::new(Quarantined { key: key.clone(), commit, timestamp, by, reason, size, item })
}

/// Commits a change of an active key, and logs it for the scope.
fn change(
    scope: &Scope,
    core: &mut BackpackCore,
    stamp: CommitStamp,
    (key, size): (Key, u64),
    act: Act,
) -> WriteOutcome {
    let commit = scope.inner.commit(core, stamp, scope.by(), key.clone(), act);
    if let Some(log) = &scope.log {
        log.add(key, commit);
    }
    WriteOutcome::Done { commit, size }
}

fn checked(reason: &str) -> Result<Reason, Error> {
    BoundedText::new(reason).map_err(|problem| Error::ReasonTooLong {
        measured: problem.measured_bytes,
        max: REASON_BYTES_MAX,
    })
}

fn refuse(
    scope: &Scope,
    core: &mut BackpackCore,
    key: &Key,
    operation: Operation,
) -> Result<WriteOutcome, Error> {
    scope.inner.deny(core, scope.by(), key, operation).map(WriteOutcome::Refused)
}

/// The outcome of a write that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a write may have found nothing, or have been refused"]
pub enum WriteOutcome {
    /// The write happened in this commit. The size is that of the value that was stored or removed, in bytes.
    Done { commit: CommitId, size: u64 },
    /// There was nothing to remove under the key.
    Missing,
    /// The write is not allowed, and the backpack is lenient. This commit records the refusal.
    Refused(CommitId),
}

impl WriteOutcome {
    /// Returns the commit of the write, if it happened.
    pub fn done(self) -> Option<CommitId> {
        match self {
            Self::Done { commit, .. } => Some(commit),
            Self::Missing | Self::Refused(_) => None,
        }
    }
}
