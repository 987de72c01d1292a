//! The state of a backpack behind its lock. A commit is the only way to change it.
//!
//! *Invariants*: a commit is applied to the state, added to the history and handed to the journal under one lock, so
//! that all three agree on the order. Observers are called after the lock is released.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use imbl::OrdMap;
use piton_core::{Provenance, TimestampMs};

use crate::access::permissions::{Operation, Permissions, Requester};
use crate::backpack::{BackpackPorts, Options};
use crate::bounds::NODES_MAX;
use crate::error::Error;
use crate::history::commit::{Act, Commit};
use crate::history::commit_id::{CommitId, WriterMark};
use crate::history::commits::History;
use crate::journal::JournalWriter;
use crate::names::{BackpackId, BackpackOrigin, Key, NodeId, NodeIdentity};
use crate::observer::{Committed, Event, Observer, notify};
use crate::state::item::{Item, ItemContent, Large};
use crate::state::item_state::ItemState;

/// State shared by all handles of one backpack.
pub(crate) struct BackpackInner {
    pub(crate) id: BackpackId,
    pub(crate) origin: Option<BackpackOrigin>,
    pub(crate) options: Options,
    pub(crate) ports: BackpackPorts,
    mark: WriterMark,
    core: Mutex<BackpackCore>,
}

/// The part of a backpack that the lock protects.
pub(crate) struct BackpackCore {
    pub(crate) state: ItemState,
    pub(crate) history: History,
    /// Values in use that are too large for the history.
    pub(crate) large: LargeValues,
    pub(crate) permissions: OrdMap<NodeId, Arc<Permissions>>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    /// Absent in a backpack that lives in memory only.
    pub(crate) journal: Option<JournalWriter>,
    /// Events that observers have not been notified of yet.
    pub(crate) untold: Vec<Event>,
    /// Commits that a snapshot still has to apply to its state. They are folded in lazily, at the first access.
    pub(crate) ahead: Vec<Commit>,
}

/// The use that keeps a large value in memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LargeValueSlot {
    Active(Key),
    Quarantined(CommitId),
}

/// A value that is too large for the history.
#[derive(Clone, Debug)]
pub(crate) enum LargeValue {
    /// The value in canonical JSON.
    Whole(Arc<str>),
    /// The store lost the value, or holds something else in its place.
    Damaged,
}

impl LargeValue {
    pub(crate) fn value(&self) -> Option<&Arc<str>> {
        match self {
            Self::Whole(text) => Some(text),
            Self::Damaged => None,
        }
    }

    /// Returns the item with this value filled in.
    pub(crate) fn fill(&self, item: &Item) -> Item {
        match self {
            Self::Whole(text) => item.with_text(Arc::clone(text)),
            Self::Damaged => item.with_damage(),
        }
    }
}

/// Large values by their slot.
pub(crate) type LargeValues = BTreeMap<LargeValueSlot, LargeValue>;

/// Id and time of the commit that is being made.
#[derive(Clone, Copy)]
pub(crate) struct CommitStamp {
    pub(crate) id: CommitId,
    pub(crate) timestamp: TimestampMs,
}

/// The node that makes a commit, and the workflow step that it acts for.
#[derive(Clone, Copy)]
pub(crate) struct CommitAuthor<'a> {
    pub(crate) identity: &'a Arc<NodeIdentity>,
    pub(crate) provenance: Option<&'a Arc<Provenance>>,
}

impl<'a> From<&'a Arc<NodeIdentity>> for CommitAuthor<'a> {
    fn from(identity: &'a Arc<NodeIdentity>) -> Self {
        Self { identity, provenance: None }
    }
}

impl BackpackInner {
    pub(crate) fn new(
        (id, origin): (BackpackId, Option<BackpackOrigin>),
        core: BackpackCore,
        options: Options,
        ports: BackpackPorts,
    ) -> Self {
        let mark = WriterMark::mint(&*ports.entropy);
        Self { id, origin, options: options.clamped(), ports, mark, core: Mutex::new(core) }
    }

    /// Locks the state. Only code of this crate runs under the lock, and arguments of callers are checked before it is
    /// taken. A poisoned lock therefore means a broken invariant; the commits made before the panic are complete.
    pub(crate) fn lock(&self) -> MutexGuard<'_, BackpackCore> {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        // A snapshot applies its remaining commits here, so that one that is never read skips that cost.
        if !core.ahead.is_empty() {
            core.fold();
        }
        core
    }

    /// Acts on the state and notifies observers afterwards.
    pub(crate) fn act<R>(
        &self,
        author: &Arc<NodeIdentity>,
        act: impl FnOnce(&mut BackpackCore) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut core = self.lock();
        core.admit(&author.id)?;
        let result = act(&mut core);
        // Even a failed act may have committed something (a denial in strict mode), so its events are sent as well.
        if core.untold.is_empty() {
            return result;
        }
        let events = std::mem::take(&mut core.untold);
        let observers = core.observers.clone();
        // Observers run arbitrary code that may call back into this backpack: never call them under the lock.
        drop(core);
        notify(&observers, &events);
        result
    }

    /// Returns the id and the time of the next commit.
    pub(crate) fn stamp(&self, core: &BackpackCore) -> CommitStamp {
        let id = CommitId::new(core.history.next_number(), self.mark);
        CommitStamp { id, timestamp: core.history.timestamp(self.ports.clock.now_ms()) }
    }

    /// Makes a commit and returns its id.
    pub(crate) fn commit(
        &self,
        core: &mut BackpackCore,
        stamp: CommitStamp,
        by: CommitAuthor<'_>,
        key: Key,
        act: Act,
    ) -> CommitId {
        let CommitStamp { id, timestamp } = stamp;
        let (author, provenance) = (Arc::clone(by.identity), by.provenance.cloned());
        let commit = Commit { id, timestamp, author, key, provenance, act };
        core.record(commit, &self.options);
        id
    }

    /// Commits a refusal. Returns an error in strict mode only.
    pub(crate) fn deny(
        &self,
        core: &mut BackpackCore,
        by: CommitAuthor<'_>,
        key: &Key,
        operation: Operation,
    ) -> Result<CommitId, Error> {
        // The refusal is committed before the error is returned: the history shows every attempt.
        let stamp = self.stamp(core);
        let id = self.commit(core, stamp, by, key.clone(), Act::Deny { operation });
        if self.options.strict {
            return Err(Error::AccessDenied {
                node: by.identity.id.clone(),
                key: key.clone(),
                operation,
            });
        }
        Ok(id)
    }

    /// Chooses between keeping a value in the history and keeping it beside it.
    pub(crate) fn content(
        &self,
        text: &Arc<str>,
        digest: Option<piton_core::Digest>,
    ) -> ItemContent {
        if text.len() <= self.options.max_value_size {
            return ItemContent::Held(Arc::clone(text));
        }
        // The caller keeps the text of a large value in `BackpackCore::large`.
        ItemContent::Large(Arc::new(Large { size: text.len() as u64, digest }))
    }
}

impl BackpackCore {
    /// Starts from a state, without a past.
    pub(crate) fn new(state: ItemState) -> Self {
        Self {
            history: History::new(state.clone(), 0),
            state,
            large: LargeValues::new(),
            permissions: OrdMap::new(),
            observers: Vec::new(),
            journal: None,
            untold: Vec::new(),
            ahead: Vec::new(),
        }
    }

    /// Applies the pending commits of a snapshot. Nothing else has changed the state before: every access folds first.
    #[cold]
    fn fold(&mut self) {
        for commit in std::mem::take(&mut self.ahead) {
            self.state.apply(&commit);
        }
        // The snapshot has a history of its own, which begins after the folded commits.
        self.history = History::new(self.state.clone(), 0);
    }

    fn admit(&self, node: &NodeId) -> Result<(), Error> {
        // The history remembers the first commit of every node, so their number has to stay bounded.
        let (nodes, is_known) = self.history.knows(node);
        if nodes >= NODES_MAX && !is_known {
            return Err(Error::TooManyNodes { node: node.clone() });
        }
        // Refuse before anything changes in memory if the journal can no longer take a commit.
        self.journal.as_ref().map_or(Ok(()), JournalWriter::check_open)
    }

    fn record(&mut self, commit: Commit, options: &Options) {
        // All three steps run under one lock: state, journal and history see commits in the same order.
        self.state.apply(&commit);
        let large = self.large_value_of(&commit).cloned();
        if let Some(journal) = &mut self.journal {
            journal.record(&commit, large);
        }
        let is_watched = !self.observers.is_empty();
        if is_watched {
            self.untold.push(Event::Committed(Committed::from(&commit)));
        }
        let pruned = self.history.push(commit, &self.state, options);
        if is_watched {
            self.untold.extend(pruned);
        }
    }

    /// Returns the large value that a commit brought in.
    fn large_value_of(&self, commit: &Commit) -> Option<&Arc<str>> {
        let slot = match &commit.act {
            Act::Pack { .. } => LargeValueSlot::Active(commit.key.clone()),
            Act::Quarantine { was_active: false, .. } => LargeValueSlot::Quarantined(commit.id),
            // Other acts refer to a value that an earlier commit has already handed to the journal.
            _ => return None,
        };
        self.large.get(&slot)?.value()
    }

    /// Returns an active item with its value filled in, if the value is in memory.
    pub(crate) fn in_full(&self, item: &Arc<Item>) -> Arc<Item> {
        self.filled(item, || LargeValueSlot::Active(item.key.clone()))
    }

    /// Returns an item with the large value of a slot filled in.
    pub(crate) fn filled(
        &self,
        item: &Arc<Item>,
        slot: impl FnOnce() -> LargeValueSlot,
    ) -> Arc<Item> {
        if item.is_available() {
            return Arc::clone(item);
        }
        match self.large.get(&slot()) {
            Some(value) => Arc::new(value.fill(item)),
            None => Arc::clone(item),
        }
    }

    /// True if a node may read a key.
    pub(crate) fn readable(&self, asker: Requester<'_>, key: &Key) -> bool {
        asker.may_read(key, self.state.items.get(key).map(|item| &**item))
    }
}
