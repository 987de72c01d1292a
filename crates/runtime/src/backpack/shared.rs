//! The backpacks of a process, shared by its calls.
//!
//! Other processes write to the same backpack, so a process opens it for a while and closes it again. Concurrent calls
//! of one process share an opening: the stream is leased once, the calls' commits reach the disk with as few syncs as
//! there are moments to wait for, and the last call to leave closes the backpack.
//!
//! *Invariants*: an opening ends. It admits a bounded number of calls, and the next one queues behind any process that
//! waits for the stream. Everything that a call recorded is on disk once the call has left. A dropped call leaves the
//! opening to the others; if it was the last, the backpack is closed as usual, without it. After a failed append no
//! further call is admitted. A call waits at most [`STATE_TURN_WAIT`], no matter who is ahead of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use piton_backpack::journal::{Followed, Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, Error, Options};
use piton_store::port::{Patience, StreamLease};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::attached::is_agent;
use crate::bounds::{STATE_TURN_CALLS_MAX, STATE_TURN_MOMENT, STATE_TURN_WAIT};

/// The backpacks that agents of this process are attached to.
#[derive(Default)]
pub struct SharedBackpacks(Mutex<BTreeMap<BackpackId, Weak<SharedBackpack>>>);

/// A backpack that agents of this process are attached to.
pub struct SharedBackpack {
    pub(super) id: BackpackId,
    pub(super) ports: JournalPorts,
    /// The state read so far, unless a call has taken it.
    followed: Mutex<Option<Followed>>,
    /// Admits calls in order of arrival. Only the holder of this lock may open the backpack.
    entrance: tokio::sync::Mutex<Entrance>,
}

/// The open backpack, if there is one, and the number of calls that share it.
#[derive(Default)]
struct Entrance {
    open: Weak<JournaledBackpack>,
    calls: usize,
}

/// The part of one call in an open backpack.
pub(super) struct OpenBackpack {
    shared: Arc<SharedBackpack>,
    /// Present until the call leaves.
    open: Option<Arc<JournaledBackpack>>,
}

impl SharedBackpacks {
    /// Returns the shared backpack with this id, and creates it if no agent is attached to it yet.
    pub fn get(&self, id: &BackpackId, ports: &JournalPorts) -> Arc<SharedBackpack> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // All agents of a process must get the same object, or they would compete for the lease with each other.
        if let Some(shared) = known.get(id).and_then(Weak::upgrade) {
            return shared;
        }
        // Entries are weak. Dead ones are swept only here, when the map is about to grow.
        known.retain(|_, shared| shared.strong_count() > 0);
        let shared = Arc::new(SharedBackpack {
            id: id.clone(),
            ports: ports.clone(),
            followed: Mutex::default(),
            entrance: tokio::sync::Mutex::default(),
        });
        known.insert(id.clone(), Arc::downgrade(&shared));
        shared
    }
}

impl SharedBackpack {
    /// Joins the calls that share the open backpack, or opens it once no other process is writing.
    pub(super) async fn open(self: &Arc<Self>, holder: Holder) -> Result<OpenBackpack, Error> {
        // One deadline covers all waiting: for earlier calls of this process and for other processes.
        let entered = timeout(STATE_TURN_WAIT, self.enter(holder)).await;
        entered.unwrap_or_else(|_| {
            let waited_ms = u64::try_from(STATE_TURN_WAIT.as_millis()).unwrap_or(u64::MAX);
            let what = format!("the backpack {}", self.id);
            Err(piton_store::Error::Busy { what, waited_ms }.into())
        })
    }

    async fn enter(self: &Arc<Self>, holder: Holder) -> Result<OpenBackpack, Error> {
        let mut entrance = self.entrance.lock().await;
        let has_room = entrance.calls < STATE_TURN_CALLS_MAX;
        // The other calls may leave at this very moment. Upgrading makes this call one of them, possibly the last, so
        // the reference goes into an `OpenBackpack` at once: its drop then closes the backpack properly if it cannot be
        // joined.
        let current = entrance.open.upgrade().map(|open| OpenBackpack::new(self, open));
        if let Some(open) = current.filter(|open| has_room && open.backpack().is_open()) {
            entrance.calls += 1;
            return Ok(open);
        }
        // The calls that share the backpack now hold its lease too, so this also waits for them. The entrance stays
        // locked meanwhile, so later calls queue behind this one.
        let lease = self.lease().await?;
        let shared = Arc::clone(self);
        // Opening may append, and what it reads is to be kept. A call that is given up here therefore leaves the task
        // running: its result is dropped, which closes the backpack and keeps the state it read.
        let opening = tokio::spawn(async move {
            let backpack = shared.take().await?.open(lease, holder, Mode::Buffered).await?;
            Ok::<_, Error>(OpenBackpack::new(&shared, Arc::new(backpack)))
        });
        let open = opening.await.expect("opening a backpack does not panic")?;
        // Only a weak reference is kept here: the backpack must close when the last call leaves.
        *entrance =
            Entrance { open: open.open.as_ref().map_or_else(Weak::new, Arc::downgrade), calls: 1 };
        Ok(open)
    }

    /// Waits for the lease behind other agents, which write for a moment each. Anything else, such as a flow, holds the
    /// backpack for as long as it runs, so the caller learns at once who it is.
    async fn lease(&self) -> Result<StreamLease, Error> {
        let moment =
            self.ports.journal.lease_with(self.id.stream(), Patience::Wait(STATE_TURN_MOMENT));
        match moment.await {
            Err(piton_store::Error::Busy { .. }) => {}
            other => return Ok(other?),
        }
        match self.ports.last_holder(&self.id).await {
            Some(holder) if !is_agent(&holder) => {
                Err(Error::Locked { id: self.id.clone(), holder: Some(holder.into_string()) })
            }
            _ => self.ports.lease(&self.id, Patience::Wait(STATE_TURN_WAIT)).await,
        }
    }

    /// Closes the backpack and keeps its state. Other processes may write from then on.
    async fn close(self: Arc<Self>, backpack: JournaledBackpack) {
        // If closing fails, the state in memory is not trusted: the next call reads it from the journal.
        let Ok((followed, lease)) = backpack.close_and_follow().await else { return };
        self.put_back(followed);
        // Whoever gets the lease next finds what was read.
        drop(lease);
    }

    /// Takes the state read so far. Reads it from the journal if another call has it, or if the last call that had it
    /// failed.
    pub(super) async fn take(&self) -> Result<Followed, Error> {
        // The state is taken out, not shared: the lock is never held across an await.
        let kept = self.followed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(followed) => Ok(followed),
            None => Followed::find(&self.id, Options::default(), self.ports.clone()).await,
        }
    }

    /// Keeps the state for the next call.
    pub(super) fn put_back(&self, followed: Followed) {
        *self.followed.lock().unwrap_or_else(PoisonError::into_inner) = Some(followed);
    }
}

impl OpenBackpack {
    fn new(shared: &Arc<SharedBackpack>, open: Arc<JournaledBackpack>) -> Self {
        Self { shared: Arc::clone(shared), open: Some(open) }
    }

    pub(super) fn backpack(&self) -> &JournaledBackpack {
        self.open.as_ref().expect("the call has not left")
    }

    /// Waits until everything recorded so far is on disk. The last call to leave closes the backpack.
    pub(super) async fn leave(mut self) -> Result<(), Error> {
        let flushed = self.backpack().flush().await;
        // `into_inner` succeeds for the last call only. Calls that arrive from here on wait for the lease.
        if let Some(open) = self.open.take().and_then(Arc::into_inner) {
            // The close runs in its own task, so that dropping this future does not interrupt it.
            let _ = tokio::spawn(Arc::clone(&self.shared).close(open)).await;
        }
        flushed
    }
}

impl Drop for OpenBackpack {
    /// Closes the backpack if this was the last call. A call that was dropped may have an append in flight, and the
    /// lease must be held until that has ended.
    fn drop(&mut self) {
        if let Some(open) = self.open.take().and_then(Arc::into_inner)
            // Without a runtime, nothing can be spawned. Dropping `open` then releases the lease without a close.
            && let Ok(handle) = Handle::try_current()
        {
            handle.spawn(Arc::clone(&self.shared).close(open));
        }
    }
}
