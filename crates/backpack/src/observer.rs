//! What happens in a backpack, told to whoever wants to know.
//!
//! *Invariants*: an event carries no value; its summary shows no protected one. An observer is called after the fact
//! and outside of any lock, so it can neither change what happened nor hold it up for other nodes.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use piton_core::{Provenance, TimestampMs};

use crate::access::Operation;
use crate::commit::{Action, Commit};
use crate::commit_id::CommitId;
use crate::node_identity::NodeIdentity;
use crate::text::Key;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A commit was made.
    Committed(Committed),
    /// The oldest commits left memory to stay within the options.
    Pruned {
        /// How many left.
        commits: usize,
        /// The oldest that is left.
        oldest: CommitId,
        /// How many are left.
        left: usize,
        /// Bytes that those are taken to hold.
        left_bytes: usize,
    },
}

/// A commit without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The commit. Events of nodes that run at the same time may arrive in another order than this.
    pub commit: CommitId,
    /// When.
    pub timestamp: TimestampMs,
    /// Who did it: a read is told as the reader's.
    pub by: NodeIdentity,
    /// What was done.
    pub action: Action,
    /// Which key.
    pub key: Key,
    /// The version that was stored or read.
    pub version: Option<u64>,
    /// Bytes of the value.
    pub size: Option<u64>,
    /// At most 200 bytes about the value.
    pub summary: String,
    /// Why, if it was a quarantine.
    pub reason: Option<String>,
    /// What was refused, if something was.
    pub refused: Option<Operation>,
    /// The step of a workflow that it was made for, if it was made for one.
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

/// Who is told. The call runs on the thread of whoever acted: it must return at once, and must not fail.
pub trait Observer: Send + Sync {
    /// Takes note.
    fn observe(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync> Observer for F {
    fn observe(&self, event: &Event) {
        self(event);
    }
}

/// Tells every observer of every event. One that panics keeps no other from being told; the panic goes on after that.
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
