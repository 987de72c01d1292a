//! Events of a backpack and their observers.
//!
//! *Invariants*: an event carries no value, and its summary shows no protected one. An observer is called after the
//! fact and outside of any lock, so it can neither change what happened nor delay other nodes.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use piton_core::{Provenance, TimestampMs};

use crate::access::permissions::Operation;
use crate::history::commit::{Action, Commit};
use crate::history::commit_id::CommitId;
use crate::names::{Key, NodeIdentity};

/// An event of a backpack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Committed(Committed),
    /// The oldest commits left memory to stay within the options.
    Pruned {
        /// Number of commits that left.
        commits: usize,
        /// The oldest commit that remains.
        oldest: CommitId,
        /// Number of commits that remain.
        left: usize,
        /// Estimated number of bytes that the remaining commits hold.
        left_bytes: usize,
    },
}

/// A commit without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The id of the commit. Events of nodes that run concurrently may arrive out of commit order.
    pub commit: CommitId,
    pub timestamp: TimestampMs,
    /// The node that acted; for a read, the reader.
    pub by: NodeIdentity,
    pub action: Action,
    pub key: Key,
    /// The version that was stored or read.
    pub version: Option<u64>,
    /// Size of the value in bytes.
    pub size: Option<u64>,
    /// A description of the value in at most 200 bytes.
    pub summary: String,
    /// The reason for a quarantine.
    pub reason: Option<String>,
    /// The operation that was refused, if this is a refusal.
    pub refused: Option<Operation>,
    /// The workflow step that the commit was made for, if any.
    pub provenance: Option<Arc<Provenance>>,
}

impl From<&Commit> for Committed {
    fn from(commit: &Commit) -> Self {
        Self {
            commit: commit.id(),
            timestamp: commit.timestamp(),
            by: commit.author().clone(),
            action: commit.action(),
            key: commit.key().clone(),
            version: commit.value().map(crate::Item::version),
            size: commit.size(),
            summary: commit.summary(),
            reason: commit.reason().map(str::to_owned),
            refused: commit.refused(),
            provenance: commit.provenance.clone(),
        }
    }
}

/// Receives the events of a backpack. It is called on the thread of the node that acted: it must return at once and
/// must not fail.
pub trait Observer: Send + Sync {
    /// Handles one event.
    fn observe(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync> Observer for F {
    fn observe(&self, event: &Event) {
        self(event);
    }
}

/// Passes every event to every observer. A panic in one is resumed after all others have been called.
pub(crate) fn notify(observers: &[Arc<dyn Observer>], events: &[Event]) {
    let mut panicked = None;
    for event in events {
        for observer in observers {
            let told = catch_unwind(AssertUnwindSafe(|| observer.observe(event)));
            panicked = panicked.or(told.err());
        }
    }
    if let Some(panic) = panicked {
        resume_unwind(panic);
    }
}
