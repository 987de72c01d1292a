//! Per-process memory of a stream, so that an append costs the same at any length.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use piton_core::{DedupeKey, EventIndex, ManifestIndex};

use super::event_line::LineError;
use crate::bounds::TAILS_CACHED_MAX;
use crate::local::disk::Stat;
use crate::plan::{EncodedPlan, Fact};
use crate::port::Cursor;
use crate::{Error, Health, StreamId, TornTail};

/// The end of the validated part of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StreamHead {
    /// Identifies the control file; 0 while there is none.
    pub(super) incarnation: u128,
    /// Length of the validated part of the control file, in bytes.
    pub(super) position: u64,
    /// Number of those bytes that this process knows to be durable.
    pub(super) synced: u64,
    pub(super) next_manifest: ManifestIndex,
    pub(super) next_event: EventIndex,
    /// First event of the newest commit.
    pub(super) newest_first: EventIndex,
    /// Offset in the control file at which the newest commit begins.
    pub(super) newest_start: u64,
}

impl StreamHead {
    /// True if the control file has nothing beyond this head.
    pub(super) fn is_current(&self, stat: Option<&Stat>) -> bool {
        stat.map_or(self.position == 0, |stat| {
            // An empty file has nothing to tell it from another empty one.
            stat.len == self.position && (self.incarnation == stat.incarnation || stat.len == 0)
        })
    }

    /// True if the control file was cut or replaced since.
    pub(super) fn is_replaced(&self, stat: Option<&Stat>) -> bool {
        self.position > 0
            && stat
                .is_none_or(|stat| stat.incarnation != self.incarnation || stat.len < self.position)
    }

    pub(super) fn cursor(&self) -> Cursor {
        Cursor {
            incarnation: self.incarnation,
            position: self.position,
            seen: self.position,
            next_manifest: self.next_manifest,
            next_event: self.next_event,
        }
    }

    pub(super) fn from_cursor(cursor: &Cursor) -> Self {
        Self {
            incarnation: cursor.incarnation,
            position: cursor.position,
            // A cursor says nothing about durability, so the newest commit is confirmed before anything builds on it.
            synced: 0,
            next_manifest: cursor.next_manifest,
            next_event: cursor.next_event,
            newest_first: cursor.next_event,
            newest_start: cursor.position,
        }
    }

    /// Returns the health of a stream whose first flaw lies right after this head.
    pub(super) fn health(&self, flaw: LineError) -> Health {
        match flaw {
            LineError::UnknownVersion(version) => {
                Health::UnknownVersion { version, manifest_index: self.next_manifest }
            }
            LineError::Corrupt(reason) if self.next_event == EventIndex::ZERO => {
                Health::CorruptHead { reason }
            }
            LineError::Corrupt(reason) => Health::CorruptTail {
                reason,
                manifest_index: self.next_manifest,
                event_index: self.next_event,
            },
        }
    }
}

/// The way in which the reading of a control file ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TailEnding {
    /// Reading reached the end of the file.
    Clean,
    /// Reading reached bytes that no append acknowledged.
    Torn(TornTail),
    /// Reading stopped at a flaw. If that lies in the newest plan, a writer may be at work on it.
    Broken { health: Health, newest: bool },
}

impl TailEnding {
    /// Returns the health of the stream, and the bytes at its end that no append acknowledged.
    pub(super) fn into_health(self) -> (Health, Option<TornTail>) {
        match self {
            Self::Clean => (Health::Healthy, None),
            Self::Torn(torn) => (Health::Healthy, Some(torn)),
            Self::Broken { health, .. } => (health, None),
        }
    }

    /// Returns the unacknowledged bytes at the end of a sound stream, and an error for any other stream.
    pub(super) fn into_sound(self, stream: &StreamId) -> Result<Option<TornTail>, Error> {
        match self.into_health() {
            (Health::Healthy, torn_tail) => Ok(torn_tail),
            (health, _) => Err(Error::NotHealthy { stream: stream.clone(), health }),
        }
    }
}

/// A stream's head and its dedupe keys.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) head: StreamHead,
    pub(super) keys: HashMap<DedupeKey, EventIndex>,
}

impl Tail {
    /// Adds the plans of a commit.
    pub(super) fn learn(&mut self, head: StreamHead, plans: &[Arc<EncodedPlan>]) {
        self.head = head;
        for Fact { index, key, .. } in plans.iter().flat_map(|plan| &plan.facts) {
            self.keys.insert(key.clone(), *index);
        }
    }
}

/// A tail that several tasks of the process use. It is locked for moments only, never while something is being written.
pub(super) type SharedTail = Arc<Mutex<Tail>>;

/// Locks a tail. A panicking thread leaves it consistent, because a tail changes in whole steps.
pub(super) fn lock(tail: &SharedTail) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a tail, unless another thread holds it.
pub(super) fn try_lock(tail: &SharedTail) -> Option<MutexGuard<'_, Tail>> {
    match tail.try_lock() {
        Ok(tail) => Some(tail),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The tails of the most recently used streams.
#[derive(Debug, Default)]
pub(super) struct Tails {
    entries: Mutex<TailEntries>,
}

#[derive(Debug, Default)]
struct TailEntries {
    tails: HashMap<StreamId, (u64, SharedTail)>,
    // A counter instead of a clock: it only has to put the uses in order.
    uses: u64,
}

impl Tails {
    fn entries(&self) -> MutexGuard<'_, TailEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tail of a stream if it is remembered.
    pub(super) fn find(&self, stream: &StreamId) -> Option<SharedTail> {
        let mut entries = self.entries();
        entries.uses += 1;
        let now = entries.uses;
        let (last_use, tail) = entries.tails.get_mut(stream)?;
        *last_use = now;
        Some(Arc::clone(tail))
    }

    /// Returns the tail of a stream, empty if it is not remembered.
    pub(super) fn get(&self, stream: &StreamId) -> SharedTail {
        if let Some(tail) = self.find(stream) {
            return tail;
        }
        self.put(stream, Tail::default())
    }

    /// Remembers a tail in place of the one before it.
    pub(super) fn put(&self, stream: &StreamId, tail: Tail) -> SharedTail {
        let mut entries = self.entries();
        entries.uses += 1;
        // The cache is bounded. The least recently used tail goes; a lease that still uses it keeps its own reference.
        if entries.tails.len() >= TAILS_CACHED_MAX
            && !entries.tails.contains_key(stream)
            && let Some(oldest) = entries
                .tails
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(name, _)| name.clone())
        {
            entries.tails.remove(&oldest);
        }
        let tail = Arc::new(Mutex::new(tail));
        let entry = (entries.uses, Arc::clone(&tail));
        entries.tails.insert(stream.clone(), entry);
        tail
    }

    /// Forgets a stream.
    pub(super) fn forget(&self, stream: &StreamId) {
        self.entries().tails.remove(stream);
    }
}
