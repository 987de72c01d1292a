//! What a process remembers of a stream, so that an append costs the same at any length.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
};

use piton_core::{DedupeKey, EventIndex, ManifestIndex};

use super::disk::Stat;
use crate::{
    Error, Health, StreamId, TornTail,
    bounds::TAILS_CACHED_MAX,
    line::LineError,
    plan::{EncodedPlan, Fact},
    port::Cursor,
};

/// Where the validated part of a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StreamHead {
    /// Which control file this is about; 0 while there is none.
    pub(super) incarnation: u128,
    /// The validated bytes of the control file.
    pub(super) position: u64,
    /// How many of them this process knows to be durable.
    pub(super) synced: u64,
    pub(super) next_manifest: ManifestIndex,
    pub(super) next_event: EventIndex,
    /// The first event of the newest commit.
    pub(super) newest_first: EventIndex,
    /// Where the newest commit begins in the control file.
    pub(super) newest_start: u64,
}

impl StreamHead {
    /// Whether the control file has nothing beyond this.
    pub(super) fn is_current(&self, stat: Option<&Stat>) -> bool {
        stat.map_or(self.position == 0, |stat| {
            stat.len == self.position && (self.incarnation == stat.incarnation || stat.len == 0)
        })
    }

    /// Whether the control file was cut or replaced since.
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
            synced: 0,
            next_manifest: cursor.next_manifest,
            next_event: cursor.next_event,
            newest_first: cursor.next_event,
            newest_start: cursor.position,
        }
    }

    /// The health of a stream whose first flaw lies right after this.
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

/// How the reading of a control file ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TailEnding {
    /// At its end.
    Clean,
    /// At bytes that no append acknowledged.
    Torn(TornTail),
    /// At a flaw. If it lies in the newest plan, a writer may be at work on it.
    Broken { health: Health, newest: bool },
}

impl TailEnding {
    /// How sound the stream is, and the bytes at its end that no append acknowledged.
    pub(super) fn into_health(self) -> (Health, Option<TornTail>) {
        match self {
            Self::Clean => (Health::Healthy, None),
            Self::Torn(torn) => (Health::Healthy, Some(torn)),
            Self::Broken { health, .. } => (health, None),
        }
    }

    /// The bytes at the end of a sound stream that no append acknowledged; an error for any other.
    pub(super) fn into_sound(self, stream: &StreamId) -> Result<Option<TornTail>, Error> {
        match self.into_health() {
            (Health::Healthy, torn_tail) => Ok(torn_tail),
            (health, _) => Err(Error::NotHealthy { stream: stream.clone(), health }),
        }
    }
}

/// A stream's head, and its dedupe keys.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) head: StreamHead,
    pub(super) keys: HashMap<DedupeKey, EventIndex>,
}

impl Tail {
    /// Adds what a plan committed.
    pub(super) fn learn(&mut self, head: StreamHead, plans: &[Arc<EncodedPlan>]) {
        self.head = head;
        for Fact { index, key, .. } in plans.iter().flat_map(|plan| &plan.facts) {
            self.keys.insert(key.clone(), *index);
        }
    }
}

/// A tail that several tasks of the process look at. It is locked for moments only, never while
/// something is being written.
pub(super) type SharedTail = Arc<Mutex<Tail>>;

/// Locks a tail. What a panicking thread left is consistent: a tail changes in whole steps.
pub(super) fn lock(tail: &SharedTail) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a tail, unless somebody else looks at it.
pub(super) fn try_lock(tail: &SharedTail) -> Option<MutexGuard<'_, Tail>> {
    match tail.try_lock() {
        Ok(tail) => Some(tail),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The tails of the streams that were used last.
#[derive(Debug, Default)]
pub(super) struct Tails {
    entries: Mutex<TailEntries>,
}

#[derive(Debug, Default)]
struct TailEntries {
    tails: HashMap<StreamId, (u64, SharedTail)>,
    uses: u64,
}

impl Tails {
    fn entries(&self) -> MutexGuard<'_, TailEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tail of a stream, if it is remembered.
    pub(super) fn find(&self, stream: &StreamId) -> Option<SharedTail> {
        let mut entries = self.entries();
        entries.uses += 1;
        let now = entries.uses;
        let (last_use, tail) = entries.tails.get_mut(stream)?;
        *last_use = now;
        Some(Arc::clone(tail))
    }

    /// The tail of a stream, empty if it is not remembered.
    pub(super) fn get(&self, stream: &StreamId) -> SharedTail {
        if let Some(tail) = self.find(stream) {
            return tail;
        }
        self.put(stream, Tail::default())
    }

    /// Remembers a tail instead of the one before it.
    pub(super) fn put(&self, stream: &StreamId, tail: Tail) -> SharedTail {
        let mut entries = self.entries();
        entries.uses += 1;
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
