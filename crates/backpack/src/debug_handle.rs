//! The handle that sees everything: the value of any item, the quarantine, the whole history.
//!
//! *Invariants*: it only reads, and its reads leave no commits. Only the owner's handle can create it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::access::permissions::parse_pattern;
use crate::backpack_core::{BackpackInner, LargeValueSlot};
use crate::error::Error;
use crate::history::commit::{Act, Action, Commit};
use crate::history::commit_id::CommitId;
use crate::history::commits::Filter;
use crate::names::{Key, NodeId};
use crate::state::item::Item;
use crate::state::quarantined::Quarantined;

piton_core::closed_set! {
    /// Which half of what a node did.
    pub enum Access {
        /// What it read.
        Read => "read",
        /// What it packed, deleted or quarantined.
        Write => "write",
    }
}

/// Reads a backpack without acting as a node and without access checks.
#[derive(Clone)]
pub struct DebugHandle {
    pub(crate) inner: Arc<BackpackInner>,
}

impl DebugHandle {
    /// Returns the value of a key.
    pub fn peek<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Error> {
        self.item(key)?.map(|item| item.value()).transpose()
    }

    /// Returns the item of a key.
    pub fn item(&self, key: &str) -> Result<Option<Arc<Item>>, Error> {
        let key = Key::parse(key)?;
        let core = self.inner.lock();
        Ok(core.state.items.get(&key).map(|item| core.in_full(item)))
    }

    /// Returns all items in use, in key order.
    pub fn items(&self) -> Vec<Arc<Item>> {
        let core = self.inner.lock();
        core.state.items.values().map(|item| core.in_full(item)).collect()
    }

    /// Returns the items of the namespaces that a pattern selects, ordered by namespace and key.
    pub fn items_by_namespace(&self, pattern: &str) -> Result<Vec<Arc<Item>>, Error> {
        let pattern = parse_pattern(pattern)?;
        let core = self.inner.lock();
        Ok(core.state.selected(&pattern).map(|item| core.in_full(item)).collect())
    }

    /// Returns the keys in use, in order.
    pub fn keys(&self) -> Vec<Key> {
        self.inner.lock().state.items.keys().cloned().collect()
    }

    /// Returns the quarantined entries, oldest first.
    pub fn quarantined(&self) -> Vec<Quarantined> {
        let core = self.inner.lock();
        let entries = core.state.quarantine.iter();
        entries
            .map(|entry| {
                let slot = || LargeValueSlot::Quarantined(entry.commit);
                let item = entry.item.as_ref().map(|item| core.filled(item, slot));
                Quarantined { item, ..(**entry).clone() }
            })
            .collect()
    }

    /// Returns the commits in memory that a filter selects, oldest first.
    pub fn history(&self, filter: &Filter) -> Result<Vec<Commit>, Error> {
        let core = self.inner.lock();
        Ok(filter.select(&core.history)?.cloned().collect())
    }

    /// Returns a single commit.
    pub fn commit(&self, id: CommitId) -> Result<Commit, Error> {
        self.inner.lock().history.find(id).cloned()
    }

    /// Returns all commits in memory that packed a key, oldest first.
    pub fn key_history(&self, key: &str) -> Result<Vec<Commit>, Error> {
        let (key, action) = (Some(Key::parse(key)?), Some(Action::Pack));
        self.history(&Filter { key, action, ..Filter::default() })
    }

    /// Returns the reads or writes of a node in order, as far as they are in memory.
    pub fn access_log(&self, node: &NodeId, access: Access) -> Vec<Commit> {
        let core = self.inner.lock();
        let wanted = |commit: &&Commit| {
            commit.author.id == *node
                && match access {
                    Access::Read => commit.action() == Action::Unpack,
                    Access::Write => commit.is_change(),
                }
        };
        core.history.commits().iter().filter(wanted).cloned().collect()
    }

    /// Returns the commits in memory that were abandoned, because a later commit put their key back.
    pub fn abandoned(&self) -> Vec<Commit> {
        let core = self.inner.lock();
        let commits = core.history.commits();
        let mut ranges: BTreeMap<&Key, Vec<Range<u64>>> = BTreeMap::new();
        for commit in commits {
            if let Act::Restore(restored) = &commit.act {
                // The restore abandons everything on its key between the last commit that stands and itself.
                let since = restored.since.map_or(0, |id| id.number() + 1);
                ranges.entry(&commit.key).or_default().push(since..commit.id.number());
            }
        }
        // Reads and denials changed nothing, and a restore is never itself abandoned work.
        let is_abandoned = |commit: &&Commit| {
            let ranges = ranges.get(&commit.key).filter(|_| commit.is_change());
            commit.action() != Action::Restore
                && ranges.is_some_and(|ranges| {
                    ranges.iter().any(|range| range.contains(&commit.id.number()))
                })
        };
        commits.iter().filter(is_abandoned).cloned().collect()
    }

    /// Returns the number of commits ever made, including those that left memory.
    pub fn commit_count(&self) -> u64 {
        self.inner.lock().history.next_number()
    }
}
