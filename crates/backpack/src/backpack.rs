//! The owner's handle of a backpack, with the options that it is created with. It creates scopes for nodes and travels
//! in time.

use std::fmt;
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use piton_core::{Clock, Entropy, TimestampMs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::permissions::Permissions;
use crate::access::scope::Scope;
use crate::backpack_core::{BackpackCore, BackpackInner, LargeValue, LargeValueSlot, LargeValues};
use crate::bounds::{
    HISTORY_BYTES, HISTORY_COMMITS, HISTORY_COMMITS_MIN, LARGE_VALUE_BYTES, LARGE_VALUE_BYTES_MAX,
    OBSERVERS_MAX,
};
use crate::debug_handle::DebugHandle;
use crate::error::Error;
use crate::history::commit::{Act, Restored};
use crate::history::commit_id::CommitId;
use crate::history::commits::{History, Past};
use crate::names::{BackpackId, BackpackOrigin, Key, NodeId, NodeIdentity};
use crate::observer::Observer;
use crate::state::item::Item;
use crate::state::item_state::ItemState;
use crate::state::labels::check_count;

/// What the maker of a backpack decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Options {
    /// Commits that stay in memory.
    pub max_history: usize,
    /// Bytes of history that stay in memory.
    pub history_bytes: usize,
    /// Bytes above which a value does not become part of the history itself.
    pub max_value_size: usize,
    /// Whether a violation of permissions is an error. If not, reads give nothing and writes are refused, and both
    /// are recorded.
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_history: HISTORY_COMMITS,
            history_bytes: HISTORY_BYTES,
            max_value_size: LARGE_VALUE_BYTES,
            strict: true,
        }
    }
}

impl Options {
    /// Returns the options, adjusted to the possible range.
    pub(crate) fn clamped(self) -> Self {
        Self {
            // Pruning keeps four fifths of the history, and that must never be less than the minimum.
            max_history: self.max_history.max(HISTORY_COMMITS_MIN / 4 * 5),
            max_value_size: self.max_value_size.min(LARGE_VALUE_BYTES_MAX),
            ..self
        }
    }
}

/// The effects that a backpack needs.
#[derive(Clone)]
pub struct BackpackPorts {
    /// The source of commit times.
    pub clock: Arc<dyn Clock>,
    /// The source of ids.
    pub entropy: Arc<dyn Entropy>,
}

/// A key to put back, with its item and the value that the history does not hold.
struct RestoredKey {
    key: Key,
    item: Option<Arc<Item>>,
    large: Option<LargeValue>,
}

/// An in-memory backpack. Cheap to clone: clones are handles to the same backpack and may live on any thread.
#[derive(Clone)]
pub struct Backpack {
    pub(crate) inner: Arc<BackpackInner>,
}

impl Backpack {
    /// Creates a backpack with initial items, which are committed by `system`.
    pub fn new<'a, I, T>(initial: I, options: Options, ports: BackpackPorts) -> Result<Self, Error>
    where
        I: IntoIterator<Item = (&'a str, T)>,
        T: Serialize,
    {
        let backpack = Self::empty(BackpackId::mint(&*ports.entropy), options, ports);
        let system = backpack.scope(NodeIdentity::system(), None)?;
        for (key, value) in initial {
            // No permissions exist yet that could refuse the write, and an error discards this backpack.
            let _ = system.pack(key, &value)?;
        }
        Ok(backpack)
    }

    /// Creates an empty backpack with a given id.
    pub fn empty(id: BackpackId, options: Options, ports: BackpackPorts) -> Self {
        Self::begin((id, None), BackpackCore::new(ItemState::default()), options, ports)
    }

    pub(crate) fn begin(
        id: (BackpackId, Option<BackpackOrigin>),
        core: BackpackCore,
        options: Options,
        ports: BackpackPorts,
    ) -> Self {
        Self { inner: Arc::new(BackpackInner::new(id, core, options, ports)) }
    }

    /// Returns the id of the backpack.
    pub fn id(&self) -> &BackpackId {
        &self.inner.id
    }

    /// Returns the backpack and commit that this one was taken from, if it is a snapshot or a fork.
    pub fn origin(&self) -> Option<&BackpackOrigin> {
        self.inner.origin.as_ref()
    }

    /// Returns the options, clamped to their limits.
    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    /// Returns the id of the newest commit, if there is one.
    pub fn head(&self) -> Option<CommitId> {
        self.inner.lock().history.newest().map(|commit| commit.id)
    }

    /// Creates the handle that a node is given: the backpack under the node's name and within its permissions. Without
    /// permissions the node is restricted only by the access control of the items themselves.
    ///
    /// Replaces the permissions that were declared for the same node before. Its existing scopes keep the permissions
    /// that they were created with.
    pub fn scope(
        &self,
        identity: NodeIdentity,
        permissions: Option<Permissions>,
    ) -> Result<Scope, Error> {
        if let Some(permissions) = &permissions {
            permissions.check()?;
        }
        let permissions = permissions.map(Arc::new);
        let mut core = self.inner.lock();
        match &permissions {
            Some(declared) => core.permissions.insert(identity.id.clone(), Arc::clone(declared)),
            None => core.permissions.remove(&identity.id),
        };
        drop(core);
        let (inner, identity) = (Arc::clone(&self.inner), Arc::new(identity));
        Ok(Scope { inner, identity, permissions, provenance: None, log: None })
    }

    /// Returns the permissions that were declared for a node.
    pub fn permissions(&self, node: &NodeId) -> Option<Arc<Permissions>> {
        self.inner.lock().permissions.get(node).cloned()
    }

    /// Returns the handle that sees everything. Nodes are never given it.
    pub fn debug(&self) -> DebugHandle {
        DebugHandle { inner: Arc::clone(&self.inner) }
    }

    /// Notifies `observer` of everything that happens from now on.
    pub fn observe(&self, observer: Arc<dyn Observer>) -> Result<(), Error> {
        let mut core = self.inner.lock();
        check_count("the observers of a backpack", core.observers.len() + 1, OBSERVERS_MAX)?;
        core.observers.push(observer);
        Ok(())
    }

    /// Returns the state after a commit, as a backpack of its own.
    pub fn snapshot_at_commit(&self, id: CommitId) -> Result<Self, Error> {
        self.past(|history| history.at_commit(id))
    }

    /// Returns the state before a node's first commit, as a backpack of its own.
    pub fn snapshot_before_node(&self, node: &NodeId) -> Result<Self, Error> {
        self.past(|history| history.before_node(node))
    }

    /// Returns the state at a time, as a backpack of its own. All commits of that millisecond are included.
    pub fn snapshot_at(&self, time: TimestampMs) -> Result<Self, Error> {
        self.past(|history| history.at_time(time))
    }

    /// Returns a backpack with which a flow can run again from a commit on: same items and permissions, own history.
    pub fn replay_from_commit(&self, id: CommitId) -> Result<Self, Error> {
        self.snapshot_at_commit(id)
    }

    /// Returns the present state as a backpack of its own, including large values and quarantined items.
    #[must_use]
    pub fn fork(&self) -> Self {
        let core = self.inner.lock();
        let past = Past::whole(core.state.clone(), core.history.newest().map(|commit| commit.id));
        let (large, permissions) = (core.large.clone(), core.permissions.clone());
        drop(core);
        self.descend(past, large, permissions)
    }

    /// Puts every key back to what it held in `snapshot`, which must be a snapshot of this backpack. Everything done
    /// since is abandoned, but stays in the history; quarantined values stay quarantined. The keys are put back by
    /// commits of `by`.
    pub fn abandon_since(&self, snapshot: &Self, by: NodeIdentity) -> Result<Vec<CommitId>, Error> {
        self.abandon_keys_since(snapshot, |_| true, by)
    }

    /// Like [`abandon_since`](Self::abandon_since), for the keys that `is_meant` selects. The others stay as they are.
    ///
    /// Either every key is put back or none is: a required value that is unavailable fails the whole call.
    pub fn abandon_keys_since(
        &self,
        snapshot: &Self,
        is_meant: impl Fn(&Key) -> bool,
        by: NodeIdentity,
    ) -> Result<Vec<CommitId>, Error> {
        let by = Arc::new(by);
        let foreign = || Error::ForeignSnapshot { id: self.id().clone() };
        let origin = snapshot.origin().filter(|origin| origin.backpack == *self.id());
        // A snapshot is identified by its origin. One that was written to since no longer shows a state of this backpack.
        let since = origin.ok_or_else(foreign)?.commit;
        let core = snapshot.inner.lock();
        if core.history.newest().is_some() {
            return Err(foreign());
        }
        let (wanted, values) = (core.state.clone(), core.large.clone());
        drop(core);
        // First collect everything that is needed, then commit: a value that is unavailable fails before any change.
        self.inner.act(&by, |core| {
            let mut put_back = Vec::new();
            for difference in core.state.items.diff(&wanted.items) {
                let (key, item) = match difference {
                    DiffItem::Add(key, item) | DiffItem::Update { new: (key, item), .. } => {
                        (key, Some(item))
                    }
                    // The key did not exist in the snapshot, so it is removed.
                    DiffItem::Remove(key, _) => (key, None),
                };
                if !is_meant(key) {
                    continue;
                }
                let slot = LargeValueSlot::Active(key.clone());
                let large = values.get(&slot).cloned();
                if let Some(item) = item.filter(|item| !item.is_available() && large.is_none()) {
                    return Err(Error::Unavailable { key: key.clone(), size: item.size() });
                }
                put_back.push(RestoredKey { key: key.clone(), item: item.cloned(), large });
            }
            // From here on nothing can fail.
            let mut commits = Vec::with_capacity(put_back.len());
            for RestoredKey { key, item: after, large } in put_back {
                let slot = LargeValueSlot::Active(key.clone());
                match large {
                    // The slot follows the item: a restored large value comes back, and that of the replaced item goes.
                    Some(text) => core.large.insert(slot, text),
                    None => core.large.remove(&slot),
                };
                let before = core.state.items.get(&key).cloned();
                let stamp = self.inner.stamp(core);
                let act = Act::Restore(Box::new(Restored { before, after, since }));
                commits.push(self.inner.commit(core, stamp, (&by).into(), key, act));
            }
            Ok(commits)
        })
    }

    /// Returns the permissions declared for all nodes.
    pub(crate) fn declared(&self) -> OrdMap<NodeId, Arc<Permissions>> {
        self.inner.lock().permissions.clone()
    }

    fn past(&self, find: impl FnOnce(&History) -> Result<Past, Error>) -> Result<Self, Error> {
        let core = self.inner.lock();
        let past = find(&core.history)?;
        let permissions = core.permissions.clone();
        drop(core);
        Ok(self.descend(past, LargeValues::new(), permissions))
    }

    /// Creates a backpack that starts from a state of this one.
    pub(crate) fn descend(
        &self,
        past: Past,
        large: LargeValues,
        permissions: OrdMap<NodeId, Arc<Permissions>>,
    ) -> Self {
        let Past { base, ahead, commit } = past;
        let ports = self.inner.ports.clone();
        let id = BackpackId::mint(&*ports.entropy);
        let origin = BackpackOrigin { backpack: self.inner.id.clone(), commit };
        let core = BackpackCore { large, permissions, ahead, ..BackpackCore::new(base) };
        Self::begin((id, Some(origin)), core, self.inner.options, ports)
    }
}

impl fmt::Debug for Backpack {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let core = self.inner.lock();
        let (items, commits) = (core.state.items.len(), core.history.next_number());
        write!(formatter, "Backpack({}, {items} items, {commits} commits)", self.inner.id)
    }
}
