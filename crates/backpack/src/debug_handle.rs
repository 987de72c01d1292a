//! The handle that sees everything: the value of any item, the quarantine, the whole history. It also validates
//! the items in use against a JSON Schema.
//!
//! *Invariants*: it only reads, and its reads leave no commits. Only the owner's handle can create it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::access::permissions::parse_pattern;
use crate::backpack_core::{BackpackInner, LargeValueSlot};
use crate::bounds::VIOLATIONS_MAX;
use crate::error::Error;
use crate::history::commit::{Act, Action, Commit};
use crate::history::commit_id::CommitId;
use crate::history::commits::Filter;
use crate::names::{Key, NodeId};
use crate::state::item::{Item, Quarantined, cut};

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

    /// Validates all items in use, as one object of keys and values, against a schema.
    pub fn validate(&self, schema: &Value) -> Result<Validation, Error> {
        let validator = jsonschema::validator_for(schema)
            .map_err(|problem| Error::BadSchema { problem: cut(&problem.to_string()) })?;
        let items = self.items();
        let mut state = Map::new();
        for item in &items {
            state.insert(item.key().to_string(), item.value()?);
        }
        let state = Value::Object(state);
        let is_protected = |path: &str| {
            let key = path.trim_start_matches('/').split('/').next().unwrap_or_default();
            let key = key.replace("~1", "/").replace("~0", "~");
            // A violation of the whole object may show all of it, including protected items.
            path.is_empty()
                || items
                    .iter()
                    .any(|item| item.key().as_str() == key && item.labels().is_protected())
        };
        let mut found = Validation::default();
        for error in validator.iter_errors(&state) {
            if found.violations.len() == VIOLATIONS_MAX {
                found.left_out += 1;
                continue;
            }
            let path = error.instance_path().to_string();
            let message =
                if is_protected(&path) { error.masked().to_string() } else { error.to_string() };
            found.violations.push(Violation { path, message: cut(&message) });
        }
        Ok(found)
    }

    /// Validates all items in use against the schema that a type derives.
    pub fn validate_as<T: schemars::JsonSchema>(&self) -> Result<Validation, Error> {
        self.validate(schemars::schema_for!(T).as_value())
    }
}

/// A violation of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// A JSON pointer to the violation. Its first part is the key.
    pub path: String,
    /// A description of the violation. The value of a protected item is not shown.
    pub message: String,
}

/// The result of a validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// The violations, at most 100, in the order of the state.
    pub violations: Vec<Violation>,
    /// Number of further violations.
    pub left_out: usize,
}

impl Validation {
    /// True if the state conforms to the schema.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }
}
