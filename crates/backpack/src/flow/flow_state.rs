//! The state that a flow runs on: a backpack, in memory or with a journal.
//!
//! *Invariants*: the observer of the backpack is attached once, when the state is created. It forwards events to all
//! runs in progress. *Limitations*: two concurrent runs on one state both receive the events of either.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::flow::event::Emitter;
use crate::{
    Backpack, Commit, CommitId, Error, Event, Filter, JournaledBackpack, Key, NodeIdentity,
    Permissions, Scope,
};

/// The runs in progress on one backpack.
#[derive(Default)]
struct Listeners(Mutex<Vec<Weak<Emitter>>>);

impl Listeners {
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Emitter>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A backpack that flows run on. Cheap to clone.
#[derive(Clone)]
pub struct FlowState {
    backpack: Backpack,
    /// The same backpack with its journal, if it has one.
    journaled: Option<JournaledBackpack>,
    listeners: Arc<Listeners>,
}

impl FlowState {
    /// Creates a state on a backpack in memory, which ends with the process.
    pub fn new(backpack: Backpack) -> Result<Self, Error> {
        let listeners = listen_to(&backpack)?;
        Ok(Self { backpack, journaled: None, listeners })
    }

    /// Creates a state on a journaled backpack. A run on it can be resumed after its process died.
    pub fn journaled(backpack: JournaledBackpack) -> Result<Self, Error> {
        let state = Self::new(backpack.memory().clone())?;
        Ok(Self { journaled: Some(backpack), ..state })
    }

    /// Returns the backpack in memory.
    pub const fn backpack(&self) -> &Backpack {
        &self.backpack
    }

    /// True if the state survives the process.
    pub const fn is_durable(&self) -> bool {
        self.journaled.is_some()
    }

    /// Forwards events to `emitter` as long as it lives.
    pub(crate) fn listen(&self, emitter: &Arc<Emitter>) {
        let mut listeners = self.listeners.lock();
        // A backpack has no way to remove an observer, so ended runs are dropped from this list instead.
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(emitter));
    }

    /// Creates a scope of the backpack for a node.
    pub(crate) fn scope(
        &self,
        identity: NodeIdentity,
        permissions: Option<Permissions>,
    ) -> Result<Scope, Error> {
        self.backpack.scope(identity, permissions)
    }

    /// Puts the selected keys back to what they held after `commit`. Returns the commits that did so.
    pub(crate) async fn abandon_since(
        &self,
        commit: CommitId,
        is_meant: impl Fn(&Key) -> bool,
        by: NodeIdentity,
    ) -> Result<Vec<CommitId>, Error> {
        let before = match &self.journaled {
            Some(journaled) => journaled.snapshot_at_commit(commit).await?,
            None => self.backpack.snapshot_at_commit(commit)?,
        };
        let commits = self.backpack.abandon_keys_since(&before, is_meant, by)?;
        self.flush().await?;
        Ok(commits)
    }

    /// Returns the commits that a filter selects, oldest first, as far back as the state reaches.
    pub(crate) async fn history(&self, filter: &Filter) -> Result<Vec<Commit>, Error> {
        match &self.journaled {
            Some(journaled) => journaled.history(filter).await,
            None => self.backpack.debug().history(filter),
        }
    }

    /// Waits until everything done before is as durable as the state can make it.
    pub(crate) async fn flush(&self) -> Result<(), Error> {
        match &self.journaled {
            Some(journaled) => journaled.flush().await,
            None => Ok(()),
        }
    }
}

fn listen_to(backpack: &Backpack) -> Result<Arc<Listeners>, Error> {
    let listeners = Arc::new(Listeners::default());
    let told = Arc::clone(&listeners);
    backpack.observe(Arc::new(move |event: &Event| {
        // Collected first, so that the list is not locked while observers run.
        let emitters: Vec<_> = told.lock().iter().filter_map(Weak::upgrade).collect();
        for emitter in emitters {
            emitter.observe(event);
        }
    }))?;
    Ok(listeners)
}
