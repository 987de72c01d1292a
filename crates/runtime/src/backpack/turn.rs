//! The backpacks of a process, and its turns to write to them.
//!
//! Other processes write to the same backpack, so each opens it for a turn only. The calls of one process that are under
//! way together share a turn: it is opened once, what they record reaches the disk with as few syncs as there are
//! moments to wait for, and the last one to leave closes it.
//!
//! *Invariants*: a turn ends. It takes in a bounded number of calls, and the next one begins behind whoever waits in
//! another process. What a call recorded is on disk when it has left. A call that is dropped leaves the turn to the
//! others; if it was the last, the turn ends as it does otherwise, without it. A turn in which an append failed takes in
//! nobody. A call waits for a turn at most [`STATE_TURN_WAIT`], whoever is before it.

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

/// A backpack that agents of this process are attached to.
pub struct SharedBackpack {
    id: BackpackId,
    ports: JournalPorts,
    leases: Arc<dyn Leases>,
    /// What was read, while nobody has it.
    followed: Mutex<Option<Followed>>,
    /// Who comes first goes first. Whoever has this may begin a turn.
    entrance: tokio::sync::Mutex<Entrance>,
}

/// The turn that goes on, if one does.
#[derive(Default)]
struct Entrance {
    turn: Weak<OpenBackpack>,
    calls: usize,
}

/// An open backpack, for as long as a turn goes on.
struct OpenBackpack {
    backpack: JournaledBackpack,
    /// Whether something could not be written.
    is_spent: AtomicBool,
    /// Freed last.
    _lease: Lease,
}

/// A call that takes part in a turn.
pub(super) struct Turn {
    shared: Arc<SharedBackpack>,
    /// There until the call leaves.
    open: Option<Arc<OpenBackpack>>,
}

impl SharedBackpacks {
    /// The one of this name.
    pub fn get(
        &self,
        id: &BackpackId,
        ports: &JournalPorts,
        leases: &Arc<dyn Leases>,
    ) -> Arc<SharedBackpack> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = known.get(id).and_then(Weak::upgrade) {
            return shared;
        }
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

    /// Takes part in the turn that goes on, or begins one when no other process writes.
    pub(super) async fn turn(self: &Arc<Self>, holder: Holder) -> Result<Turn, Envelope> {
        // One time for all that is waited for: the calls before this one, and other processes.
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
        // The others may leave at this moment: whoever looks at the turn takes part in it, and may be the last.
        let current = entrance.turn.upgrade().map(|open| Turn::new(Arc::clone(self), open));
        if let Some(turn) = current.filter(|turn| has_room && turn.open().is_usable()) {
            entrance.calls += 1;
            return Ok(turn);
        }
        // This waits for the turn before to end as well.
        let lease = self.lease().await.map_err(|error| error.envelope())?;
        let shared = Arc::clone(self);
        // Opening may append. Whoever gives up leaves that to end by itself; then the turn ends, and what was read is kept.
        let opening = tokio::spawn(async move {
            let open = shared.open(holder, lease).await?;
            Ok::<_, Error>(Turn::new(shared, Arc::new(open)))
        });
        let turn = opening.await.expect("opening a backpack does not panic");
        let turn = turn.map_err(|error| error.envelope())?;
        *entrance =
            Entrance { turn: turn.open.as_ref().map(Arc::downgrade).unwrap_or_default(), calls: 1 };
        Ok(turn)
    }

    async fn lease(&self) -> Result<Lease, piton_store::Error> {
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

    /// Closes the backpack, and then lets other processes write.
    async fn end(self: Arc<Self>, open: OpenBackpack) {
        let OpenBackpack { backpack, _lease, .. } = open;
        // What could not be closed is read again.
        if let Ok(followed) = backpack.close_and_follow().await {
            self.put_back(followed);
        }
    }

    /// What is known of the backpack; read anew if another call has it, or one that failed had it.
    pub(super) async fn take(&self) -> Result<Followed, Error> {
        let kept = self.followed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(followed) => Ok(followed),
            None => Followed::find(&self.id, Options::default(), self.ports.clone()).await,
        }
    }

    /// Keeps what is known for the next call.
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

    /// Returns when what was recorded so far is on disk. The last one to leave closes the backpack.
    pub(super) async fn finish(mut self) -> Result<(), Error> {
        let flushed = self.backpack().flush().await;
        if flushed.is_err() {
            self.open().is_spent.store(true, Ordering::Release);
        }
        // Whoever comes from here on finds the turn over, and waits for its lease.
        if let Some(open) = self.open.take().and_then(Arc::into_inner) {
            // A call that is given up here does not keep the turn from ending.
            let _ = tokio::spawn(Arc::clone(&self.shared).end(open)).await;
        }
        flushed
    }
}

impl Drop for Turn {
    /// A call that was given up may have an append under way. Until that has ended, nobody else can write.
    fn drop(&mut self) {
        if let Some(open) = self.open.take().and_then(Arc::into_inner)
            && let Ok(handle) = Handle::try_current()
        {
            handle.spawn(Arc::clone(&self.shared).end(open));
        }
    }
}
