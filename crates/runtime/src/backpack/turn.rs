//! The backpacks of a process, and its turns to write to them.
//!
//! Other processes write to the same backpack, so each process opens it for one turn at a time. Concurrent calls of one
//! process share a turn: the backpack is opened once, the calls' records reach the disk with as few syncs as there are
//! moments to wait for, and the last call to leave closes it.
//!
//! *Invariants*: a turn ends. It admits a bounded number of calls, and the next turn queues behind any waiting process.
//! Everything that a call recorded is on disk once the call has left. A dropped call leaves the turn to the others; if
//! it was the last, the turn ends as usual, without it. A turn with a failed append admits no further calls. A call
//! waits for a turn at most [`STATE_TURN_WAIT`], no matter who is ahead of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use piton_backpack::journal::{Followed, Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, Error, Options};
use piton_core::{Digest, Envelope, FileBytes};
use piton_store::LeaseName;
use piton_store::port::{Lease, Leases, Mode as LeaseMode, Patience};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::bounds::{STATE_TURN_CALLS_MAX, STATE_TURN_WAIT};

/// The backpacks that agents of this process are attached to.
#[derive(Default)]
pub struct SharedBackpacks(Mutex<BTreeMap<BackpackId, Weak<SharedBackpack>>>);

/// A backpack that agents of this process are attached to, shared by their calls.
pub struct SharedBackpack {
    id: BackpackId,
    ports: JournalPorts,
    leases: Arc<dyn Leases>,
    /// The state read so far, unless a call has taken it.
    followed: Mutex<Option<Followed>>,
    /// Admits calls in order of arrival. Only the holder of this lock may begin a turn.
    entrance: tokio::sync::Mutex<Entrance>,
}

/// The current turn, if there is one, and the number of calls it has admitted.
#[derive(Default)]
struct Entrance {
    turn: Weak<OpenBackpack>,
    calls: usize,
}

/// An open backpack, for the duration of a turn.
struct OpenBackpack {
    backpack: JournaledBackpack,
    /// Set once a write failed.
    is_spent: AtomicBool,
    /// Released last: fields drop in order, so the backpack is gone before another process may write.
    _lease: Lease,
}

/// The participation of one call in a turn.
pub(super) struct Turn {
    shared: Arc<SharedBackpack>,
    /// Present until the call leaves.
    open: Option<Arc<OpenBackpack>>,
}

impl SharedBackpacks {
    /// Returns the shared backpack with this id, and creates it if no agent is attached to it yet.
    pub fn get(
        &self,
        id: &BackpackId,
        ports: &JournalPorts,
        leases: &Arc<dyn Leases>,
    ) -> Arc<SharedBackpack> {
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
            leases: Arc::clone(leases),
            followed: Mutex::default(),
            entrance: tokio::sync::Mutex::default(),
        });
        known.insert(id.clone(), Arc::downgrade(&shared));
        shared
    }
}

impl SharedBackpack {
    pub(super) fn id(&self) -> &BackpackId {
        &self.id
    }

    pub(super) fn ports(&self) -> &JournalPorts {
        &self.ports
    }

    /// Joins the current turn, or begins one once no other process is writing.
    pub(super) async fn turn(self: &Arc<Self>, holder: Holder) -> Result<Turn, Envelope> {
        // One deadline covers all waiting: for earlier calls of this process and for other processes.
        let entered = timeout(STATE_TURN_WAIT, self.enter(holder)).await;
        entered.unwrap_or_else(|_| {
            let waited_ms = u64::try_from(STATE_TURN_WAIT.as_millis()).unwrap_or(u64::MAX);
            let what = format!("the backpack {}", self.id);
            Err(piton_store::Error::Busy { what, waited_ms }.envelope())
        })
    }

    async fn enter(self: &Arc<Self>, holder: Holder) -> Result<Turn, Envelope> {
        let mut entrance = self.entrance.lock().await;
        let has_room = entrance.calls < STATE_TURN_CALLS_MAX;
        // The other participants may leave at this very moment. Upgrading makes this call a participant, possibly the
        // last one, so the reference goes into a `Turn` at once: its drop then ends the turn properly if it cannot be
        // joined.
        let current = entrance.turn.upgrade().map(|open| Turn::new(Arc::clone(self), open));
        if let Some(turn) = current.filter(|turn| has_room && turn.open().is_usable()) {
            entrance.calls += 1;
            return Ok(turn);
        }
        // The current turn of this process holds the lease too, so this also waits for it to end. The entrance stays
        // locked meanwhile, so later calls queue behind this one.
        let lease = self.lease().await.map_err(|error| error.envelope())?;
        let shared = Arc::clone(self);
        // Opening may append, and an append must not be cut short. A call that times out here therefore leaves the task
        // running: the finished turn is dropped, which closes the backpack and keeps the state it read.
        let opening = tokio::spawn(async move {
            let open = shared.open(holder, lease).await?;
            Ok::<_, Error>(Turn::new(shared, Arc::new(open)))
        });
        let turn = opening.await.expect("opening a backpack does not panic");
        let turn = turn.map_err(|error| error.envelope())?;
        // Only a weak reference is kept here: the turn must end when its last participant leaves.
        *entrance =
            Entrance { turn: turn.open.as_ref().map(Arc::downgrade).unwrap_or_default(), calls: 1 };
        Ok(turn)
    }

    async fn lease(&self) -> Result<Lease, piton_store::Error> {
        // Ids may hold characters that a lease name may not, so the name is derived from the digest of the id.
        let digest = Digest::of(&FileBytes(self.id.as_str().as_bytes())).to_string();
        let digits: String =
            digest.chars().filter(char::is_ascii_hexdigit).rev().take(32).collect();
        let name: LeaseName =
            format!("state-{digits}").parse().expect("hex digits are allowed in a name");
        let patience = Patience::Wait(STATE_TURN_WAIT);
        self.leases.acquire(&name, LeaseMode::Exclusive, patience).await
    }

    async fn open(&self, holder: Holder, lease: Lease) -> Result<OpenBackpack, Error> {
        let backpack = self.take().await?.open(holder, Mode::Buffered).await?;
        Ok(OpenBackpack { backpack, is_spent: AtomicBool::new(false), _lease: lease })
    }

    /// Closes the backpack, then lets other processes write.
    async fn end(self: Arc<Self>, open: OpenBackpack) {
        // Binding the lease keeps it until the end of this function, after the close and the hand-over of the state.
        let OpenBackpack { backpack, _lease, .. } = open;
        // If closing fails, the state in memory is not trusted: the next call reads it from the journal.
        if let Ok(followed) = backpack.close_and_follow().await {
            self.put_back(followed);
        }
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
    fn is_usable(&self) -> bool {
        !self.is_spent.load(Ordering::Acquire)
    }
}

impl Turn {
    fn new(shared: Arc<SharedBackpack>, open: Arc<OpenBackpack>) -> Self {
        Self { shared, open: Some(open) }
    }

    fn open(&self) -> &OpenBackpack {
        self.open.as_ref().expect("the call has not left")
    }

    pub(super) fn backpack(&self) -> &JournaledBackpack {
        &self.open().backpack
    }

    /// Waits until everything recorded so far is on disk. The last call to leave closes the backpack.
    pub(super) async fn finish(mut self) -> Result<(), Error> {
        let flushed = self.backpack().flush().await;
        // After a failed flush, memory may be ahead of the disk. No further call may join this turn.
        if flushed.is_err() {
            self.open().is_spent.store(true, Ordering::Release);
        }
        // `into_inner` succeeds for the last participant only. Calls that arrive from here on find the turn over and
        // wait for its lease.
        if let Some(open) = self.open.take().and_then(Arc::into_inner) {
            // The close runs in its own task, so that dropping this future does not interrupt it.
            let _ = tokio::spawn(Arc::clone(&self.shared).end(open)).await;
        }
        flushed
    }
}

impl Drop for Turn {
    /// Ends the turn if this was the last call. A call that was dropped may have an append in flight, and the lease
    /// must be held until that has ended.
    fn drop(&mut self) {
        if let Some(open) = self.open.take().and_then(Arc::into_inner)
            // Without a runtime, nothing can be spawned. Dropping `open` then releases the lease without a close.
            && let Ok(handle) = Handle::try_current()
        {
            handle.spawn(Arc::clone(&self.shared).end(open));
        }
    }
}
