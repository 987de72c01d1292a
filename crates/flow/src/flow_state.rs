//! What a flow runs on: a backpack, in memory or in a journal.
//!
//! *Invariants*: the backpack's observer is attached once, when this is made, and passes on what happens to the runs
//! that are under way. *Limitations*: of two runs at the same time on one state, both are told what either does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use piton_backpack::{
    AsyncScope, Backpack, Commit, CommitId, Error, Event, Filter, JournaledBackpack, Key,
    NodeIdentity, Permissions,
};

use crate::event::Emitter;

/// The runs that are under way on one backpack.
#[derive(Default)]
struct Listeners(Mutex<Vec<Weak<Emitter>>>);

impl Listeners {
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Emitter>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone)]
enum KeptBackpack {
    InMemory(Backpack),
    InJournal(JournaledBackpack),
}

/// A backpack that flows run on. Cheap to clone.
#[derive(Clone)]
pub struct FlowState {
    kept: KeptBackpack,
    listeners: Arc<Listeners>,
}

impl FlowState {
    /// A state on a backpack in memory: it ends with the process.
    pub fn new(backpack: Backpack) -> Result<Self, Error> {
        let listeners = listen_to(&backpack)?;
        Ok(Self { kept: KeptBackpack::InMemory(backpack), listeners })
    }

    /// A state on a backpack in a journal: a run on it can be resumed after its process died.
    pub fn journaled(backpack: JournaledBackpack) -> Result<Self, Error> {
        let listeners = listen_to(backpack.memory())?;
        Ok(Self { kept: KeptBackpack::InJournal(backpack), listeners })
    }

    /// The backpack in memory.
    pub fn backpack(&self) -> &Backpack {
        match &self.kept {
            KeptBackpack::InMemory(backpack) => backpack,
            KeptBackpack::InJournal(journaled) => journaled.memory(),
        }
    }

    /// Whether what happens survives the process.
    pub const fn is_durable(&self) -> bool {
        matches!(self.kept, KeptBackpack::InJournal(_))
    }

    /// Tells `emitter` what happens, as long as it lives.
    pub(crate) fn listen(&self, emitter: &Arc<Emitter>) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(emitter));
    }

    /// The backpack in a node's name.
    pub(crate) fn scope(
        &self,
        identity: NodeIdentity,
        permissions: Option<Permissions>,
    ) -> Result<AsyncScope, Error> {
        match &self.kept {
            KeptBackpack::InMemory(backpack) => {
                backpack.scope(identity, permissions).map(AsyncScope::from)
            }
            KeptBackpack::InJournal(journaled) => journaled.scope(identity, permissions),
        }
    }

    /// Puts the keys that are meant back to what they held after `commit`; gives the commits that did so.
    pub(crate) async fn abandon_since(
        &self,
        commit: CommitId,
        is_meant: impl Fn(&Key) -> bool,
        by: NodeIdentity,
    ) -> Result<Vec<CommitId>, Error> {
        match &self.kept {
            KeptBackpack::InMemory(backpack) => {
                let before = backpack.snapshot_at_commit(commit)?;
                backpack.abandon_keys_since(&before, is_meant, by)
            }
            KeptBackpack::InJournal(journaled) => {
                let before = journaled.snapshot_at_commit(commit).await?;
                journaled.abandon_keys_since(&before, is_meant, by).await
            }
        }
    }

    /// The commits that a filter selects, oldest first, as far back as the state reaches.
    pub(crate) async fn history(&self, filter: &Filter) -> Result<Vec<Commit>, Error> {
        match &self.kept {
            KeptBackpack::InMemory(backpack) => backpack.debug().history(filter),
            KeptBackpack::InJournal(journaled) => journaled.history(filter).await,
        }
    }

    /// Returns when everything that was done before is as durable as the state is.
    pub(crate) async fn flush(&self) -> Result<(), Error> {
        match &self.kept {
            KeptBackpack::InMemory(_) => Ok(()),
            KeptBackpack::InJournal(journaled) => journaled.flush().await,
        }
    }
}

fn listen_to(backpack: &Backpack) -> Result<Arc<Listeners>, Error> {
    let listeners = Arc::new(Listeners::default());
    let told = Arc::clone(&listeners);
    backpack.observe(Arc::new(move |event: &Event| {
        let emitters: Vec<_> = told.lock().iter().filter_map(Weak::upgrade).collect();
        for emitter in emitters {
            emitter.observe(event);
        }
    }))?;
    Ok(listeners)
}
