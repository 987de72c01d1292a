//! The state of a backpack behind its lock, and the one way in which it changes: by a commit.
//!
//! *Invariants*: a commit is applied to the state, added to the history and handed to the journal under one lock, so
//! that all three agree on the order. Observers are called after the lock is free.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use imbl::OrdMap;
use piton_core::{Provenance, TimestampMs};

use crate::access::{Operation, Requester};
use crate::backpack_id::BackpackId;
use crate::backpack_origin::BackpackOrigin;
use crate::bounds::NODES_MAX;
use crate::commit::{Act, Commit};
use crate::commit_id::{CommitId, WriterMark};
use crate::error::Error;
use crate::history::History;
use crate::item::Item;
use crate::item_content::{ItemContent, Large};
use crate::item_state::ItemState;
use crate::node_identity::NodeIdentity;
use crate::observer::{Committed, Event, Observer, notify};
use crate::options::{BackpackPorts, Options};
use crate::permissions::Permissions;
use crate::recorder::Recorder;
use crate::text::{Key, NodeId};

/// What all handles of one backpack share.
pub(crate) struct BackpackInner {
    pub(crate) id: BackpackId,
    pub(crate) origin: Option<BackpackOrigin>,
    pub(crate) options: Options,
    pub(crate) ports: BackpackPorts,
    core: Mutex<BackpackCore>,
}

/// What is behind the lock.
pub(crate) struct BackpackCore {
    pub(crate) state: ItemState,
    pub(crate) history: History,
    /// Values that are in use and too large for the history.
    pub(crate) large: LargeValues,
    pub(crate) permissions: OrdMap<NodeId, Arc<Permissions>>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    mark: WriterMark,
    /// What observers are still to be told.
    untold: Vec<Event>,
    /// What the state is a snapshot after, and is not folded in: nobody has looked yet.
    ahead: Vec<Commit>,
}

/// Where a large value is in use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LargeValueSlot {
    Active(Key),
    Quarantined(CommitId),
}

/// A value that is too large for the history.
#[derive(Clone, Debug)]
pub(crate) enum LargeValue {
    /// Its canonical JSON.
    Whole(Arc<str>),
    /// The store lost it, or has something else in its place.
    Damaged,
}

impl LargeValue {
    pub(crate) fn value(&self) -> Option<&Arc<str>> {
        match self {
            Self::Whole(text) => Some(text),
            Self::Damaged => None,
        }
    }

    /// The item that it is the value of.
    pub(crate) fn fill(&self, item: &Item) -> Item {
        match self {
            Self::Whole(text) => item.with_text(Arc::clone(text)),
            Self::Damaged => item.with_damage(),
        }
    }
}

/// Large values by where they are in use.
pub(crate) type LargeValues = BTreeMap<LargeValueSlot, LargeValue>;

/// The id and the time of the commit that is being made.
#[derive(Clone, Copy)]
pub(crate) struct CommitStamp {
    pub(crate) id: CommitId,
    pub(crate) timestamp: TimestampMs,
}

/// Who makes a commit, and for which step of a workflow.
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

/// What a backpack starts with.
pub(crate) struct InitialState {
    pub(crate) id: BackpackId,
    pub(crate) origin: Option<BackpackOrigin>,
    pub(crate) state: ItemState,
    pub(crate) history: History,
    pub(crate) large: LargeValues,
    pub(crate) permissions: OrdMap<NodeId, Arc<Permissions>>,
}

impl BackpackInner {
    pub(crate) fn new(beginning: InitialState, options: Options, ports: BackpackPorts) -> Self {
        let InitialState { id, origin, state, history, large, permissions } = beginning;
        let mark = WriterMark::mint(&*ports.entropy);
        let core = BackpackCore {
            state,
            history,
            large,
            permissions,
            observers: Vec::new(),
            recorder: None,
            mark,
            untold: Vec::new(),
            ahead: Vec::new(),
        };
        Self { id, origin, options: options.clamped(), ports, core: Mutex::new(core) }
    }

    /// The same beginning, after some commits more. They are folded in at the first look.
    pub(crate) fn ahead(mut self, commits: Vec<Commit>) -> Self {
        self.core.get_mut().unwrap_or_else(PoisonError::into_inner).ahead = commits;
        self
    }

    /// Looks at the state. Only code of this crate runs under the lock, and what callers send was checked before: a lock
    /// that a panic poisoned is one that a broken invariant poisoned, and the commits before it are whole.
    pub(crate) fn lock(&self) -> MutexGuard<'_, BackpackCore> {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        if !core.ahead.is_empty() {
            core.fold();
        }
        core
    }

    /// Acts on the state, and tells observers afterwards.
    pub(crate) fn act<R>(
        &self,
        author: &Arc<NodeIdentity>,
        act: impl FnOnce(&mut BackpackCore) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut core = self.lock();
        core.admit(&author.id)?;
        let result = act(&mut core);
        if core.untold.is_empty() {
            return result;
        }
        let events = std::mem::take(&mut core.untold);
        let observers = core.observers.clone();
        drop(core);
        notify(&observers, &events);
        result
    }

    /// The id and the time of the next commit.
    pub(crate) fn stamp(&self, core: &BackpackCore) -> CommitStamp {
        let id = CommitId::new(core.history.next_number(), core.mark);
        CommitStamp { id, timestamp: core.history.timestamp(self.ports.clock.now_ms()) }
    }

    /// Makes a commit.
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

    /// Records that something was refused. The answer is an error in strict mode only.
    pub(crate) fn deny(
        &self,
        core: &mut BackpackCore,
        by: CommitAuthor<'_>,
        key: &Key,
        operation: Operation,
    ) -> Result<CommitId, Error> {
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

    /// How a value is kept: in the history, or beside it.
    pub(crate) fn content(
        &self,
        text: &Arc<str>,
        digest: Option<piton_core::Digest>,
    ) -> ItemContent {
        if text.len() <= self.options.max_value_size {
            return ItemContent::Held(Arc::clone(text));
        }
        ItemContent::Large(Arc::new(Large { size: text.len() as u64, digest }))
    }
}

impl BackpackCore {
    /// Folds in what the snapshot is ahead by. Nothing else has happened to it: whatever does looks at it first.
    #[cold]
    fn fold(&mut self) {
        for commit in std::mem::take(&mut self.ahead) {
            self.state.apply(&commit);
        }
        self.history = History::new(self.state.clone(), 0);
    }

    fn admit(&self, node: &NodeId) -> Result<(), Error> {
        let (nodes, is_known) = self.history.knows(node);
        if nodes >= NODES_MAX && !is_known {
            return Err(Error::TooManyNodes { node: node.clone() });
        }
        self.recorder.as_ref().map_or(Ok(()), |recorder| recorder.is_open())
    }

    fn record(&mut self, commit: Commit, options: &Options) {
        self.state.apply(&commit);
        if let Some(recorder) = &self.recorder {
            recorder.record(&commit, self.large_value_of(&commit));
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

    /// The large value that a commit brought in.
    fn large_value_of(&self, commit: &Commit) -> Option<&Arc<str>> {
        let slot = match &commit.act {
            Act::Pack { .. } => LargeValueSlot::Active(commit.key.clone()),
            Act::Quarantine { was_active: false, .. } => LargeValueSlot::Quarantined(commit.id),
            _ => return None,
        };
        self.large.get(&slot)?.value()
    }

    /// An item with its value in full, if that is at hand.
    pub(crate) fn in_full(&self, item: &Arc<Item>) -> Arc<Item> {
        self.filled(item, || LargeValueSlot::Active(item.key.clone()))
    }

    /// An item with the value that is in use in a slot.
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

    /// The items that a node may read of those it asks for.
    pub(crate) fn readable(&self, asker: Requester<'_>, key: &Key) -> bool {
        asker.may_read(key, self.state.items.get(key).map(|item| &**item))
    }
}
