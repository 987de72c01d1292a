//! The view of a backpack that a node is given, bound to the node's name.
//!
//! *Invariants*: the acting node is bound to the handle when it is created, and is not an argument of any call. A scope
//! gives no access to the backpack itself, to the debug handle or to another node's scope.
//!
//! ```compile_fail,E0061
//! # fn as_another_node(scope: &piton_backpack::Scope) {
//! // There is no place to put another node's name.
//! scope.pack("key", &1, "another-node");
//! # }
//! ```
//!
//! ```compile_fail,E0616
//! # fn rename(mut scope: piton_backpack::Scope, other: piton_backpack::Scope) {
//! scope.identity = other.identity;
//! # }
//! ```
//!
//! ```compile_fail,E0599
//! # fn around_the_checks(scope: &piton_backpack::Scope) {
//! scope.debug();
//! # }
//! ```
//!
//! ```compile_fail,E0308
//! # fn as_a_node(handle: piton_backpack::DebugHandle) -> piton_backpack::Scope {
//! handle
//! # }
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use piton_core::Provenance;
use serde::de::DeserializeOwned;

use super::permissions::{Operation, Permissions, Requester, parse_pattern};
use super::writing::WriteOutcome;
use crate::backpack_core::{BackpackInner, CommitAuthor};
use crate::error::Error;
use crate::history::commit::{Act, Action};
use crate::history::commit_id::CommitId;
use crate::history::commits::Filter;
use crate::names::{IntoKey, Key, NodeIdentity};
use crate::observer::Committed;
use crate::state::item::{self, Item};

// shows: BP-003 (with everything_that_a_node_does_is_done_in_its_name)
// shows: BP-007 (with the_debug_handle_reads_without_a_name_and_past_all_checks)

/// A backpack as one node sees it. Cheap to clone; clones act as the same node.
///
/// Every act happens in memory, at once. If the backpack has a journal, [`saved`](Self::saved) waits until a write is on
/// disk; a write that nobody waits for gets there with the next one, or with a flush.
#[derive(Clone)]
pub struct Scope {
    pub(crate) inner: Arc<BackpackInner>,
    pub(crate) identity: Arc<NodeIdentity>,
    pub(crate) permissions: Option<Arc<Permissions>>,
    pub(crate) provenance: Option<Arc<Provenance>>,
    pub(crate) log: Option<ChangeLog>,
}

/// The last commit that changed each key through the scopes that write into this log. Clones share the log.
#[derive(Clone, Debug, Default)]
pub struct ChangeLog(Arc<Mutex<BTreeMap<Key, CommitId>>>);

impl ChangeLog {
    /// Returns everything logged so far.
    pub fn get(&self) -> BTreeMap<Key, CommitId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes everything logged so far out of the log.
    pub fn take(&self) -> BTreeMap<Key, CommitId> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn add(&self, key: Key, commit: CommitId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, commit);
    }
}

impl Scope {
    /// Returns the node that acts through this scope.
    pub fn identity(&self) -> &NodeIdentity {
        &self.identity
    }

    /// Attributes all further commits of this scope to a step of a workflow.
    #[must_use]
    pub fn at_step(mut self, provenance: Option<Provenance>) -> Self {
        self.provenance = provenance.map(Arc::new);
        self
    }

    /// Logs all changes of keys through this scope.
    #[must_use]
    pub fn logged(mut self, log: ChangeLog) -> Self {
        self.log = Some(log);
        self
    }

    /// Waits until a write is as durable as the backpack's mode promises, and returns its outcome. A backpack in memory
    /// never waits.
    pub async fn saved(&self, outcome: WriteOutcome) -> Result<WriteOutcome, Error> {
        self.inner.written(outcome).await?;
        Ok(outcome)
    }

    /// Waits for the disk if very many reads are waiting to be recorded there.
    pub async fn keep_up(&self) -> Result<(), Error> {
        self.inner.read().await
    }

    pub(crate) fn by(&self) -> CommitAuthor<'_> {
        CommitAuthor { identity: &self.identity, provenance: self.provenance.as_ref() }
    }

    pub(crate) fn asker(&self) -> Requester<'_> {
        Requester { identity: &self.identity, permissions: self.permissions.as_deref() }
    }

    /// Reads a value and commits the read. Returns `None` if there is no value.
    pub fn unpack<T: DeserializeOwned>(&self, key: impl IntoKey) -> Result<Option<T>, Error> {
        self.read(&key.into_key()?)?.map(|item| item.value()).transpose()
    }

    /// Reads a value that must exist.
    pub fn unpack_required<T: DeserializeOwned>(&self, key: impl IntoKey) -> Result<T, Error> {
        let key = key.into_key()?;
        self.read(&key)?.ok_or(Error::Missing { key })?.value()
    }

    /// Reads a value without committing the read. Only a refusal is committed.
    pub fn peek<T: DeserializeOwned>(&self, key: impl IntoKey) -> Result<Option<T>, Error> {
        self.peek_item(key)?.map(|item| item.value()).transpose()
    }

    /// Reads an item with its metadata without committing the read. Only a refusal is committed.
    pub fn peek_item(&self, key: impl IntoKey) -> Result<Option<Arc<Item>>, Error> {
        let key = &key.into_key()?;
        self.inner.act(&self.identity, |core| {
            if !core.readable(self.asker(), key) {
                return self.inner.deny(core, self.by(), key, Operation::Read).map(|_| None);
            }
            Ok(core.state.items.get(key).map(|item| core.in_full(item)))
        })
    }

    /// Reads an item with its metadata and commits the read.
    pub fn item(&self, key: impl IntoKey) -> Result<Option<Arc<Item>>, Error> {
        self.read(&key.into_key()?)
    }

    fn read(&self, key: &Key) -> Result<Option<Arc<Item>>, Error> {
        self.inner.act(&self.identity, |core| {
            if !core.readable(self.asker(), key) {
                return self.inner.deny(core, self.by(), key, Operation::Read).map(|_| None);
            }
            let read = core.state.items.get(key).cloned();
            let stamp = self.inner.stamp(core);
            let found = read.as_ref().map(|item| core.in_full(item));
            // Share the key of the item instead of keeping another copy of it in the history.
            let key = read.as_ref().map_or(key, |item| &item.key).clone();
            self.inner.commit(core, stamp, self.by(), key, Act::Unpack { read });
            Ok(found)
        })
    }

    /// Returns the keys in use that the node may read, in order.
    pub fn keys(&self) -> Vec<Key> {
        let core = self.inner.lock();
        let items = core.state.items.iter();
        let asker = self.asker();
        items
            .filter(|(key, item)| asker.may_read(key, Some(item)))
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Reads the readable values of all namespaces that a pattern selects, and commits each read.
    pub fn unpack_by_namespace<T: DeserializeOwned>(
        &self,
        pattern: &str,
    ) -> Result<Vec<(Key, T)>, Error> {
        let items = self.items_by_namespace(pattern)?;
        items
            .iter()
            .map(|item| Ok((item.key.clone(), item::read(&item.key, item.text()?, item.labels())?)))
            .collect()
    }

    /// Reads the readable items of all namespaces that a pattern selects, and commits each read.
    pub fn items_by_namespace(&self, pattern: &str) -> Result<Vec<Arc<Item>>, Error> {
        let pattern = parse_pattern(pattern)?;
        self.inner.act(&self.identity, |core| {
            let asker = self.asker();
            // Items that the node may not read are skipped without a refusal: it did not ask for them by name.
            let selected = core.state.selected(&pattern);
            let items: Vec<Arc<Item>> =
                selected.filter(|item| asker.may_read(&item.key, Some(item))).cloned().collect();
            for item in &items {
                let stamp = self.inner.stamp(core);
                let act = Act::Unpack { read: Some(Arc::clone(item)) };
                self.inner.commit(core, stamp, self.by(), item.key.clone(), act);
            }
            Ok(items.iter().map(|item| core.in_full(item)).collect())
        })
    }

    /// Returns the history of the keys that the node may read, oldest first. Values that are no longer in use are not
    /// shown; quarantines are left out.
    pub fn history(&self, filter: &Filter) -> Result<Vec<Committed>, Error> {
        let core = self.inner.lock();
        let asker = self.asker();
        let mut told = Vec::new();
        for commit in filter.select(&core.history)? {
            let item = commit.value().or(commit.previous());
            let is_visible = match commit.action() {
                // A quarantined value is out of reach of every node, and so is the fact that it existed.
                Action::Quarantine => false,
                // A node sees its own refusals; those of others would reveal keys that it may not know of.
                Action::Deny => commit.author.id == self.identity.id,
                Action::Pack | Action::Unpack | Action::Delete | Action::Restore => {
                    asker.may_read(&commit.key, item)
                }
            };
            if !is_visible {
                continue;
            }
            let mut event = Committed::from(commit);
            // A summary may show only a value that is still in use; for an earlier one it shows the size.
            let in_use = core.state.items.get(&commit.key);
            let was_shown =
                commit.value().is_some_and(|item| in_use.is_none_or(|live| **live != *item));
            if let Some(size) = event.size.filter(|_| was_shown) {
                event.summary = format!("[{size} bytes]");
            }
            told.push(event);
        }
        Ok(told)
    }
}
