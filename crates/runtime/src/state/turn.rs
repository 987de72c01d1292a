//! The backpacks of a process, and its turns to write to them.
//!
//! Other processes write to the same backpack, so each opens it for a turn only. The calls of one process that are under
//! way together share a turn: it is opened once, what they record reaches the disk with as few syncs as there are
//! moments to wait for, and the last one to leave closes it.
//!
//! *Invariants*: a turn ends. It takes in a bounded number of calls, and the next one begins behind whoever waits in
//! another process. What a call recorded is on disk when it has left. A call that is dropped leaves the turn to the
//! others; if it was the last, the backpack is read again. A turn in which an append failed takes in nobody.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use piton_backpack::journal::{Followed, Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, Error, Options};
use piton_core::{Digest, Envelope, FileBytes};
use piton_store::LeaseName;
use piton_store::port::{Lease, Leases, Mode as LeaseMode, Patience};

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
    open: Arc<OpenBackpack>,
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
        let mut entrance = self.entrance.lock().await;
        let has_room = entrance.calls < STATE_TURN_CALLS_MAX;
        let current = entrance.turn.upgrade().filter(|open| has_room && open.is_usable());
        let open = if let Some(open) = current {
            entrance.calls += 1;
            open
        } else {
            // This waits for the turn before to end as well.
            let open = Arc::new(self.open(holder).await?);
            *entrance = Entrance { turn: Arc::downgrade(&open), calls: 1 };
            open
        };
        Ok(Turn { shared: Arc::clone(self), open })
    }

    async fn open(&self, holder: Holder) -> Result<OpenBackpack, Envelope> {
        let digest = Digest::of(&FileBytes(self.id.as_str().as_bytes())).to_string();
        let digits: String =
            digest.chars().filter(char::is_ascii_hexdigit).rev().take(32).collect();
        let name: LeaseName =
            format!("state-{digits}").parse().expect("hex digits are allowed in a name");
        let patience = Patience::Wait(STATE_TURN_WAIT);
        let lease = self.leases.acquire(&name, LeaseMode::Exclusive, patience).await;
        let lease = lease.map_err(|error| error.envelope())?;
        let followed = self.take().await.map_err(|error| error.envelope())?;
        let backpack = followed.open(holder, Mode::Buffered).await;
        let backpack = backpack.map_err(|error| error.envelope())?;
        Ok(OpenBackpack { backpack, is_spent: AtomicBool::new(false), _lease: lease })
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
    pub(super) fn backpack(&self) -> &JournaledBackpack {
        &self.open.backpack
    }

    /// Returns when what was recorded so far is on disk. The last one to leave closes the backpack.
    pub(super) async fn leave(self) -> Result<(), Error> {
        let flushed = self.open.backpack.flush().await;
        if flushed.is_err() {
            self.open.is_spent.store(true, Ordering::Release);
        }
        // Whoever comes from here on finds the turn over, and waits for its lease.
        if let Some(OpenBackpack { backpack, _lease, .. }) = Arc::into_inner(self.open) {
            // What could not be closed is read again.
            if let Ok(followed) = backpack.close_and_follow().await {
                self.shared.put_back(followed);
            }
        }
        flushed
    }
}
