//! A single entry of the history.
//!
//! *Invariants*: a commit never changes. No call hands one out by mutable reference or takes one back.
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

use std::fmt;
use std::sync::Arc;

use piton_core::{Provenance, TimestampMs};

use super::commit_id::CommitId;
use crate::access::permissions::Operation;
use crate::names::{Key, NodeIdentity};
use crate::state::item::{self, Item, Quarantined};

// shows: BP-012 (with commits_that_were_given_out_stay_as_they_are)

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

/// An entry of the history: the author, the time, the key and the action.
#[derive(Clone, PartialEq, Eq)]
pub struct Commit {
    pub(crate) id: CommitId,
    pub(crate) timestamp: TimestampMs,
    pub(crate) author: Arc<NodeIdentity>,
    pub(crate) key: Key,
    pub(crate) provenance: Option<Arc<Provenance>>,
    pub(crate) act: Act,
}

/// The action of a commit, with everything needed to apply it again.
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
    /// Removes the active item, unless the value was never active.
    Quarantine {
        entry: Arc<Quarantined>,
        was_active: bool,
    },
    Deny {
        operation: Operation,
    },
    Restore(Box<Restored>),
}

/// A key that was put back to an earlier item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Restored {
    pub(crate) before: Option<Arc<Item>>,
    pub(crate) after: Option<Arc<Item>>,
    /// The last commit that still stands. Later changes of the key are abandoned.
    pub(crate) since: Option<CommitId>,
}

impl Commit {
    /// Returns the id of the commit.
    pub fn id(&self) -> CommitId {
        self.id
    }

    /// Returns the time of the commit.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Returns the node that made the commit.
    pub fn author(&self) -> &NodeIdentity {
        &self.author
    }

    /// Returns the key that the commit is about.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the workflow step that the commit was made for, if any.
    pub fn provenance(&self) -> Option<&Provenance> {
        self.provenance.as_deref()
    }

    /// Returns the kind of the commit.
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

    /// Returns the item that the key held before, if the commit changed it.
    pub fn previous(&self) -> Option<&Item> {
        match &self.act {
            Act::Pack { before, .. } => before.as_deref(),
            Act::Restore(restored) => restored.before.as_deref(),
            Act::Delete { before } => Some(before),
            Act::Quarantine { entry, was_active: true } => entry.item(),
            Act::Quarantine { .. } | Act::Unpack { .. } | Act::Deny { .. } => None,
        }
    }

    /// Returns the item that was stored, put back, read, or put straight into quarantine.
    pub fn value(&self) -> Option<&Item> {
        match &self.act {
            Act::Pack { after, .. } => Some(after),
            Act::Unpack { read } => read.as_deref(),
            Act::Restore(restored) => restored.after.as_deref(),
            Act::Quarantine { entry, was_active: false } => entry.item(),
            Act::Quarantine { .. } | Act::Delete { .. } | Act::Deny { .. } => None,
        }
    }

    /// Returns the size in bytes of the value that was stored, read or removed.
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

    /// Returns the reason for a quarantine.
    pub fn reason(&self) -> Option<&str> {
        match &self.act {
            Act::Quarantine { entry, .. } => Some(entry.reason()),
            _ => None,
        }
    }

    /// Returns the operation that was refused, if this is a refusal.
    pub fn refused(&self) -> Option<Operation> {
        match &self.act {
            Act::Deny { operation } => Some(*operation),
            _ => None,
        }
    }

    /// Returns the last commit that still stands, if this commit put a key back and any commit stands.
    pub fn restores_to(&self) -> Option<CommitId> {
        match &self.act {
            Act::Restore(restored) => restored.since,
            _ => None,
        }
    }

    /// Describes the value for people in at most 200 bytes. A protected value is not shown.
    pub fn summary(&self) -> String {
        match &self.act {
            Act::Pack { after: item, .. } | Act::Unpack { read: Some(item) } => item.summary(),
            Act::Unpack { read: None } => "[missing]".to_owned(),
            Act::Delete { before } => format!("[deleted, {} bytes]", before.size()),
            Act::Quarantine { entry, .. } => {
                item::cut(&format!("[quarantined, {} bytes] {}", entry.size(), entry.reason()))
            }
            Act::Deny { operation } => format!("[{operation} denied]"),
            Act::Restore(restored) => match &restored.after {
                Some(item) => item.summary(),
                None => "[removed again]".to_owned(),
            },
        }
    }

    /// Returns the number of bytes that this commit holds in memory and no earlier commit does.
    pub(crate) fn held_bytes(&self) -> usize {
        let held = match &self.act {
            // The other acts share an item that an earlier commit has already counted.
            Act::Pack { after, .. } => after.content.held(),
            Act::Restore(restored) => restored.after.as_ref().and_then(|item| item.content.held()),
            Act::Quarantine { entry, was_active: false } => {
                entry.item.as_ref().and_then(|item| item.content.held())
            }
            _ => None,
        };
        held.map_or(0, |text| text.len())
    }

    /// True if the commit changed the state.
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
