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
use crate::names::{IntoKey, Key};
use crate::state::item::{Item, Quarantined, Reason, encode};
use crate::state::labels::{Labels, PackOptions};

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

/// The error for labels that the node may not change.
struct LabelsFixed;

impl Scope {
    /// Stores a value. The labels of the item stay as they are.
    pub fn pack<T: Serialize + ?Sized>(
        &self,
        key: impl IntoKey,
        value: &T,
    ) -> Result<WriteOutcome, Error> {
        self.pack_with(key, value, &PackOptions::new())
    }

    /// Stores a value and sets labels of the item.
    ///
    /// The labels of an existing item may be changed only by nodes that its access control names as writers.
    pub fn pack_with<T: Serialize + ?Sized>(
        &self,
        key: impl IntoKey,
        value: &T,
        options: &PackOptions,
    ) -> Result<WriteOutcome, Error> {
        let key = key.into_key()?;
        // Encoding and checking need no lock, so a slow or invalid value never delays other nodes.
        let prepared = Prepared::new(self, &key, value)?;
        options.onto(Labels::NONE).check()?;
        self.inner.act(&self.identity, |core| {
            let before = core.state.items.get(&key).cloned();
            if !self.asker().may_write(&key, before.as_deref(), Missing::Made) {
                return self.refuse(core, &key, Operation::Write);
            }
            // Only a new key needs room.
            if before.is_none() && core.state.items.len() >= ITEMS_MAX {
                return Err(Error::Full { key });
            }
            let Ok(labels) = self.labels_of(before.as_deref(), options) else {
                return self.refuse(core, &key, Operation::Label);
            };
            // Nothing below can fail.
            let stamp = self.inner.stamp(core);
            let version = before.as_ref().map_or(0, |item| item.version) + 1;
            // Share the key of the replaced item instead of keeping it twice.
            let key = before.as_ref().map_or(key, |item| item.key.clone());
            let after =
                Arc::new(Item { labels, ..prepared.item(self, key.clone(), stamp, version) });
            // The slot matters only if either item is large. It is filled before the commit, which looks it up.
            if !after.is_available() || before.as_ref().is_some_and(|item| !item.is_available()) {
                prepared.keep_large_value(core, LargeValueSlot::Active(key.clone()), &after);
            }
            let size = after.size();
            Ok(self.change(core, stamp, (key, size), Act::Pack { before, after }))
        })
    }

    /// Computes the labels of the item after the pack.
    fn labels_of(
        &self,
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
                if self.asker().may_label(item) { Ok(some(labels)) } else { Err(LabelsFixed) }
            }
        }
    }

    /// Removes a key. The history keeps its value.
    pub fn delete(&self, key: impl IntoKey) -> Result<WriteOutcome, Error> {
        // The large value is gone from memory, but stays in the journal if there is one.
        self.take_out(key.into_key()?, |_, _, before, _| Act::Delete { before })
    }

    /// Takes a key out of use and keeps its value for the trace.
    pub fn quarantine(&self, key: impl IntoKey, reason: &str) -> Result<WriteOutcome, Error> {
        let (key, reason) = (key.into_key()?, checked(reason)?);
        self.take_out(key, |core, stamp, before, large| {
            // The large value moves to the slot of the quarantined entry.
            if let Some(text) = large {
                core.large.insert(LargeValueSlot::Quarantined(stamp.id), text);
            }
            let (key, size) = (before.key.clone(), before.size());
            let entry = self.set_aside(core, stamp, key, (reason, size, Some(before)));
            Act::Quarantine { entry, was_active: true }
        })
    }

    /// Takes a key out of use. The quarantine does not keep its value; earlier commits do.
    pub fn quarantine_without_trace(
        &self,
        key: impl IntoKey,
        reason: &str,
    ) -> Result<WriteOutcome, Error> {
        let (key, reason) = (key.into_key()?, checked(reason)?);
        self.take_out(key, |core, stamp, before, _| {
            let key = before.key.clone();
            let entry = self.set_aside(core, stamp, key, (reason, before.size(), None));
            Act::Quarantine { entry, was_active: true }
        })
    }

    /// Puts a value straight into quarantine. It is never in use, so no permission is needed.
    pub fn quarantine_value<T: Serialize + ?Sized>(
        &self,
        key: impl IntoKey,
        value: &T,
        reason: &str,
    ) -> Result<WriteOutcome, Error> {
        let key = key.into_key()?;
        let reason = checked(reason)?;
        let prepared = Prepared::new(self, &key, value)?;
        self.inner.act(&self.identity, |core| {
            // No permission is checked: the value never becomes visible to any node.
            let stamp = self.inner.stamp(core);
            let item = Arc::new(prepared.item(self, key.clone(), stamp, 0));
            let size = item.size();
            prepared.keep_large_value(core, LargeValueSlot::Quarantined(stamp.id), &item);
            let entry = self.set_aside(core, stamp, key.clone(), (reason, size, Some(item)));
            let act = Act::Quarantine { entry, was_active: false };
            let commit = self.inner.commit(core, stamp, self.by(), key, act);
            Ok(WriteOutcome::Done { commit, size })
        })
    }

    /// Takes an item out of use by the act that `act` makes of it. The item comes with its large value, if it has one.
    fn take_out(
        &self,
        key: Key,
        act: impl FnOnce(&mut BackpackCore, CommitStamp, Arc<Item>, Option<LargeValue>) -> Act,
    ) -> Result<WriteOutcome, Error> {
        self.inner.act(&self.identity, |core| {
            let before = core.state.items.get(&key).cloned();
            if !self.asker().may_write(&key, before.as_deref(), Missing::Wanted) {
                return self.refuse(core, &key, Operation::Write);
            }
            // The node may write this key, so it may also learn that the key is absent.
            let Some(before) = before else { return Ok(WriteOutcome::Missing) };
            let stamp = self.inner.stamp(core);
            let large = core.large.remove(&LargeValueSlot::Active(key.clone()));
            let size = before.size();
            let act = act(core, stamp, before, large);
            Ok(self.change(core, stamp, (key, size), act))
        })
    }

    /// Builds the quarantine entry of a commit, and frees the large value of the oldest entry if that has to leave.
    fn set_aside(
        &self,
        core: &mut BackpackCore,
        stamp: CommitStamp,
        key: Key,
        (reason, size, item): (Reason, u64, Option<Arc<Item>>),
    ) -> Arc<Quarantined> {
        // Applying the commit drops the oldest entry; its large value would stay in memory forever.
        if core.state.quarantine.len() >= QUARANTINE_MAX
            && let Some(oldest) = core.state.quarantine.front()
        {
            core.large.remove(&LargeValueSlot::Quarantined(oldest.commit));
        }
        let (commit, timestamp) = (stamp.id, stamp.timestamp);
        let by = Arc::clone(&self.identity);
        Arc::new(Quarantined { key, commit, timestamp, by, reason, size, item })
    }

    /// Commits a change of an active key, and logs it for the scope.
    fn change(
        &self,
        core: &mut BackpackCore,
        stamp: CommitStamp,
        (key, size): (Key, u64),
        act: Act,
    ) -> WriteOutcome {
        let commit = self.inner.commit(core, stamp, self.by(), key.clone(), act);
        if let Some(log) = &self.log {
            log.add(key, commit);
        }
        WriteOutcome::Done { commit, size }
    }

    fn refuse(
        &self,
        core: &mut BackpackCore,
        key: &Key,
        operation: Operation,
    ) -> Result<WriteOutcome, Error> {
        self.inner.deny(core, self.by(), key, operation).map(WriteOutcome::Refused)
    }
}

fn checked(reason: &str) -> Result<Reason, Error> {
    BoundedText::new(reason).map_err(|problem| Error::ReasonTooLong {
        measured: problem.measured_bytes,
        max: REASON_BYTES_MAX,
    })
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
