//! One entry of the history.
//!
//! *Invariants*: a commit never changes; there is no call that gives one out by mutable reference or takes one back.
//!
//! ```compile_fail,E0616
//! # use piton_backpack::{Commit, Key};
//! fn rewrite(mut commit: Commit, key: Key) {
//!     commit.key = key;
//! }
//! ```
//!
//! ```compile_fail,E0599
//! # use piton_backpack::{Backpack, CommitId};
//! fn undo(backpack: &Backpack, commit: CommitId) {
//!     backpack.rollback(commit);
//! }
//! ```
// shows: BP-012 (with commits_that_were_given_out_stay_as_they_are)

use std::fmt;
use std::sync::Arc;

use piton_core::{Provenance, TimestampMs};

use crate::access::Operation;
use crate::commit_id::CommitId;
use crate::item::Item;
use crate::node_identity::NodeIdentity;
use crate::quarantined::Quarantined;
use crate::summary;
use crate::text::Key;

piton_core::closed_set! {
    /// What a commit did.
    pub enum Action {
        /// Stored a value.
        Pack => "pack",
        /// Read a value, or found none.
        Unpack => "unpack",
        /// Removed a key.
        Delete => "delete",
        /// Took a key or a value out of use.
        Quarantine => "quarantine",
        /// Was refused, and changed nothing.
        Deny => "deny",
        /// Put a key back to what it held, because what was done since then is abandoned.
        Restore => "restore",
    }
}

/// An entry of the history: who did what to which key, and when.
#[derive(Clone, PartialEq, Eq)]
pub struct Commit {
    pub(crate) id: CommitId,
    pub(crate) timestamp: TimestampMs,
    pub(crate) author: Arc<NodeIdentity>,
    pub(crate) key: Key,
    pub(crate) provenance: Option<Arc<Provenance>>,
    pub(crate) act: Act,
}

/// What a commit did, with what it takes to do it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Pack {
        before: Option<Arc<Item>>,
        after: Arc<Item>,
    },
    Unpack {
        read: Option<Arc<Item>>,
    },
    Delete {
        before: Arc<Item>,
    },
    /// Takes the active item away, unless the value was never active.
    Quarantine {
        entry: Arc<Quarantined>,
        was_active: bool,
    },
    Deny {
        operation: Operation,
    },
    Restore(Box<Restored>),
}

/// A key that holds again what it held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Restored {
    pub(crate) before: Option<Arc<Item>>,
    pub(crate) after: Option<Arc<Item>>,
    /// The last commit that stands; what was done to the key after it is abandoned.
    pub(crate) since: Option<CommitId>,
}

impl Commit {
    /// Its id.
    pub fn id(&self) -> CommitId {
        self.id
    }

    /// When.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Who.
    pub fn author(&self) -> &NodeIdentity {
        &self.author
    }

    /// Which key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The step of a workflow that it was made for, if it was made for one.
    pub fn provenance(&self) -> Option<&Provenance> {
        self.provenance.as_deref()
    }

    /// What was done.
    pub fn action(&self) -> Action {
        match &self.act {
            Act::Pack { .. } => Action::Pack,
            Act::Unpack { .. } => Action::Unpack,
            Act::Delete { .. } => Action::Delete,
            Act::Quarantine { .. } => Action::Quarantine,
            Act::Deny { .. } => Action::Deny,
            Act::Restore(_) => Action::Restore,
        }
    }

    /// What the key held before, if that changed.
    pub fn previous(&self) -> Option<&Item> {
        match &self.act {
            Act::Pack { before, .. } => before.as_deref(),
            Act::Restore(restored) => restored.before.as_deref(),
            Act::Delete { before } => Some(before),
            Act::Quarantine { entry, was_active: true } => entry.item(),
            Act::Quarantine { .. } | Act::Unpack { .. } | Act::Deny { .. } => None,
        }
    }

    /// What was stored, put back, read, or put straight into quarantine.
    pub fn value(&self) -> Option<&Item> {
        match &self.act {
            Act::Pack { after, .. } => Some(after),
            Act::Unpack { read } => read.as_deref(),
            Act::Restore(restored) => restored.after.as_deref(),
            Act::Quarantine { entry, was_active: false } => entry.item(),
            Act::Quarantine { .. } | Act::Delete { .. } | Act::Deny { .. } => None,
        }
    }

    /// Bytes of the value that was stored, read or removed.
    pub fn size(&self) -> Option<u64> {
        match &self.act {
            Act::Pack { after, .. } => Some(after.size()),
            Act::Unpack { read } => read.as_ref().map(|item| item.size()),
            Act::Delete { before } => Some(before.size()),
            Act::Quarantine { entry, .. } => Some(entry.size()),
            Act::Restore(_) => self.value().or(self.previous()).map(Item::size),
            Act::Deny { .. } => None,
        }
    }

    /// Why, if it was a quarantine.
    pub fn reason(&self) -> Option<&str> {
        match &self.act {
            Act::Quarantine { entry, .. } => Some(entry.reason()),
            _ => None,
        }
    }

    /// What was refused, if something was.
    pub fn refused(&self) -> Option<Operation> {
        match &self.act {
            Act::Deny { operation } => Some(*operation),
            _ => None,
        }
    }

    /// The last commit that still stands, if this one put something back and any stands.
    pub fn restores_to(&self) -> Option<CommitId> {
        match &self.act {
            Act::Restore(restored) => restored.since,
            _ => None,
        }
    }

    /// At most 200 bytes about the value, for people. A protected value is not shown.
    pub fn summary(&self) -> String {
        match &self.act {
            Act::Pack { after: item, .. } | Act::Unpack { read: Some(item) } => item.summary(),
            Act::Unpack { read: None } => "[missing]".to_owned(),
            Act::Delete { before } => format!("[deleted, {} bytes]", before.size()),
            Act::Quarantine { entry, .. } => {
                summary::cut(&format!("[quarantined, {} bytes] {}", entry.size(), entry.reason()))
            }
            Act::Deny { operation } => format!("[{operation} denied]"),
            Act::Restore(restored) => match &restored.after {
                Some(item) => item.summary(),
                None => "[removed again]".to_owned(),
            },
        }
    }

    /// Bytes that it holds in memory and that no earlier commit does.
    pub(crate) fn held_bytes(&self) -> usize {
        let held = match &self.act {
            Act::Pack { after, .. } => after.content.held(),
            Act::Restore(restored) => restored.after.as_ref().and_then(|item| item.content.held()),
            Act::Quarantine { entry, was_active: false } => {
                entry.item.as_ref().and_then(|item| item.content.held())
            }
            _ => None,
        };
        held.map_or(0, |text| text.len())
    }

    /// Whether it changed the state.
    pub fn is_change(&self) -> bool {
        !matches!(self.act, Act::Unpack { .. } | Act::Deny { .. })
    }
}

impl fmt::Debug for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, action, key, author) = (self.id, self.action(), &self.key, &self.author.id);
        write!(formatter, "{id} {author} {action} {key} {}", self.summary())
    }
}
