//! Leases as locks on files.
//!
//! A lease is two files: the one that is locked while it is held, and a *turn* that is locked for
//! the moment in which it is being taken. Whoever waits for an exclusive lease keeps the turn, so
//! that new shared holders queue behind it instead of starving it.
//!
//! A lock on a file can only be tried again and again. So the callers of one process queue in
//! memory first, where whoever frees a lease wakes the next one, and only the one in front looks at
//! the files: a thousand calls that wait cost what one does. The turn is fair between processes: a
//! process that frees a lease asks for it again behind the process that has the turn.
//!
//! Invariants: what excludes is the files; the queue only keeps callers from trying in vain. A
//! caller that stops waiting, or is dropped, leaves the queue at once and the files after one pause.
#![expect(clippy::disallowed_methods, reason = "waits and blocks on the adapter's threads")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use piton_core::port::{Clock, Notice, Trace};
use tokio::time::timeout;

use super::{DataDir, disk::FileLock};
use crate::{
    Error, LeaseName,
    bounds::{COLLECTION_WAIT, LEASE_NOTICE_AFTER, LEASE_PAUSE},
    collect,
    memory::MemoryLeases,
    port::{BoxFuture, Hold, Lease, Leases, Mode, Patience},
};

/// Leases under a data directory. Clones are of one process: their callers queue together.
#[derive(Clone)]
pub struct LocalLeases {
    dir: DataDir,
    clock: Arc<dyn Clock>,
    trace: Arc<dyn Trace>,
    /// The queue of this process.
    queue: MemoryLeases,
}

/// The lock is freed before the place in the queue, so that the next one finds it free.
struct HeldLock {
    _lock: Box<dyn FileLock>,
    _place: Option<Lease>,
}

impl Hold for HeldLock {}

/// One wait for a lease.
struct LeaseAttempt {
    leases: LocalLeases,
    name: LeaseName,
    mode: Mode,
    patience: Duration,
    started: Duration,
}

/// Sets a flag when it is dropped.
struct OnDrop(Arc<AtomicBool>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl LocalLeases {
    /// Leases whose waits are measured by `clock`.
    pub fn new(dir: DataDir, clock: Arc<dyn Clock>, trace: Arc<dyn Trace>) -> Self {
        let queue = MemoryLeases::new(Arc::clone(&clock));
        Self { dir, clock, trace, queue }
    }

    /// Enters the time between a first blob and the end of an append. Blocks.
    pub(super) fn enter_writing(&self) -> Result<Lease, Error> {
        let patience = Patience::Wait(COLLECTION_WAIT);
        self.acquire_blocking(&collect::lease_name(), Mode::Shared, patience)
    }

    /// Takes a lease on the calling thread, which does not queue.
    pub(super) fn acquire_blocking(
        &self,
        name: &LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> Result<Lease, Error> {
        let attempt = LeaseAttempt::new(self, name, mode, patience);
        let lock = attempt.wait(&AtomicBool::new(false))?;
        Ok(attempt.into_lease(lock, None))
    }
}

impl LeaseAttempt {
    fn new(leases: &LocalLeases, name: &LeaseName, mode: Mode, patience: Patience) -> Self {
        let patience = match patience {
            Patience::FailFast => Duration::ZERO,
            Patience::Wait(time) => time,
        };
        let started = leases.clock.monotonic();
        Self { leases: leases.clone(), name: name.clone(), mode, patience, started }
    }

    fn waited(&self) -> Duration {
        self.leases.clock.monotonic().saturating_sub(self.started)
    }

    fn busy(&self) -> Error {
        let waited_ms = u64::try_from(self.waited().as_millis()).unwrap_or(u64::MAX);
        Error::Busy { what: format!("the lease {}", self.name), waited_ms }
    }

    /// A place at the front of the queue of this process.
    async fn place(&self) -> Result<Lease, Error> {
        let queue = &self.leases.queue;
        match queue.acquire(&self.name, self.mode, Patience::FailFast).await {
            Err(Error::Busy { .. }) if !self.patience.is_zero() => {}
            outcome => return outcome,
        }
        let waiting = queue.acquire(&self.name, self.mode, Patience::Wait(self.patience));
        timeout(self.patience, waiting).await.unwrap_or_else(|_| Err(self.busy()))
    }

    fn try_turn(&self) -> Result<Option<Box<dyn FileLock>>, Error> {
        let path = self.leases.dir.lease_turn(&self.name);
        let lock = self.leases.dir.disk().lock(&path, self.mode == Mode::Exclusive);
        lock.map_err(Error::io("take a lease's turn"))
    }

    fn try_lock(&self) -> Result<Option<Box<dyn FileLock>>, Error> {
        let path = self.leases.dir.lease(&self.name);
        let lock = self.leases.dir.disk().lock(&path, self.mode == Mode::Exclusive);
        lock.map_err(Error::io("take a lease"))
    }

    /// Others pass through the turn in an instant; who does not wait must not trip over them.
    fn needs_turn(&self) -> bool {
        self.mode == Mode::Shared || !self.patience.is_zero()
    }

    /// The lock, if it is free now.
    fn lock_now(&self) -> Result<Option<Box<dyn FileLock>>, Error> {
        let turn = if self.needs_turn() { self.try_turn()? } else { None };
        if self.needs_turn() && turn.is_none() {
            return Ok(None);
        }
        self.try_lock()
    }

    /// Waits for the lock on the calling thread, until nobody wants it any more.
    fn wait(&self, is_unwanted: &AtomicBool) -> Result<Box<dyn FileLock>, Error> {
        let retry = |attempt: &dyn Fn() -> Result<Option<Box<dyn FileLock>>, Error>| loop {
            if let Some(lock) = attempt()? {
                return Ok(lock);
            }
            if self.waited() >= self.patience || is_unwanted.load(Ordering::Relaxed) {
                return Err(self.busy());
            }
            thread::sleep(LEASE_PAUSE);
        };
        let _turn = self.needs_turn().then(|| retry(&|| self.try_turn())).transpose()?;
        retry(&|| self.try_lock())
    }

    fn into_lease(self, lock: Box<dyn FileLock>, place: Option<Lease>) -> Lease {
        let waited = self.waited();
        if waited >= LEASE_NOTICE_AFTER {
            let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
            let name = self.name.to_string();
            self.leases.trace.notice(&Notice::LeaseWaited { name, waited_ms });
        }
        Lease::new(self.name, self.mode, Box::new(HeldLock { _lock: lock, _place: place }))
    }
}

impl Leases for LocalLeases {
    fn acquire<'a>(
        &'a self,
        name: &'a LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> BoxFuture<'a, Result<Lease, Error>> {
        let attempt = LeaseAttempt::new(self, name, mode, patience);
        Box::pin(async move {
            let place = attempt.place().await?;
            // Mostly nobody else has it; then a look takes less than the way to another thread.
            if let Some(lock) = attempt.lock_now()? {
                return Ok(attempt.into_lease(lock, Some(place)));
            }
            if attempt.patience.is_zero() {
                return Err(attempt.busy());
            }
            let unwanted = Arc::new(AtomicBool::new(false));
            let _given_up = OnDrop(Arc::clone(&unwanted));
            // The place goes along: while this thread waits, the next caller would wait in vain.
            super::blocking(move || {
                let lock = attempt.wait(&unwanted)?;
                Ok(attempt.into_lease(lock, Some(place)))
            })
            .await
        })
    }
}
