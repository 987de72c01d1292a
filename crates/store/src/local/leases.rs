//! Leases as locks on files.
//!
//! A lease is two files: one that is locked while the lease is held, and a *turn* that is locked for the moment in
//! which the lease is being taken. A caller that waits for an exclusive lease keeps the turn, so that new shared
//! holders queue behind it instead of starving it.
//!
//! A file lock can only be polled. So the callers of one process queue in memory first, where releasing a lease wakes
//! the next caller, and only the caller at the front looks at the files: a thousand waiting calls cost as much as one.
//! The turn is fair between processes: a process that releases a lease asks for it again behind the process that has
//! the turn.
//!
//! Invariants: exclusion comes from the files; the queue only keeps callers from trying in vain. A caller that stops
//! waiting, or is dropped, leaves the queue at once and the files after one pause.
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

/// Leases under a data directory. Clones belong to one process: their callers queue together.
#[derive(Clone)]
pub struct LocalLeases {
    dir: DataDir,
    clock: Arc<dyn Clock>,
    trace: Arc<dyn Trace>,
    /// The queue of this process.
    queue: MemoryLeases,
}

/// A held lease. Fields drop in order: the lock is released before the place in the queue, so that the next caller
/// finds it free.
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
    /// Creates leases whose waits are measured by `clock`.
    pub fn new(dir: DataDir, clock: Arc<dyn Clock>, trace: Arc<dyn Trace>) -> Self {
        let queue = MemoryLeases::new(Arc::clone(&clock));
        Self { dir, clock, trace, queue }
    }

    /// Enters the period between a plan's first blob and the end of its append. Blocks.
    pub(super) fn enter_writing(&self) -> Result<Lease, Error> {
        let patience = Patience::Wait(COLLECTION_WAIT);
        self.acquire_blocking(&collect::lease_name(), Mode::Shared, patience)
    }

    /// Takes a lease on the calling thread, without queueing.
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

    /// Waits for a place at the front of this process's queue.
    async fn place(&self) -> Result<Lease, Error> {
        let queue = &self.leases.queue;
        match queue.acquire(&self.name, self.mode, Patience::FailFast).await {
            Err(Error::Busy { .. }) if !self.patience.is_zero() => {}
            outcome => return outcome,
        }
        // The queue in memory has no timer of its own, so the runtime's timer ends the wait.
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

    /// True if this attempt goes through the turn. Others hold the turn for an instant only, and an attempt that does
    /// not wait must not fail because of that.
    fn needs_turn(&self) -> bool {
        self.mode == Mode::Shared || !self.patience.is_zero()
    }

    /// Returns the lock if it is free now.
    fn lock_now(&self) -> Result<Option<Box<dyn FileLock>>, Error> {
        let turn = if self.needs_turn() { self.try_turn()? } else { None };
        // Another attempt has the turn. If it waits for the lease, this one must not get in first.
        if self.needs_turn() && turn.is_none() {
            return Ok(None);
        }
        // The turn is released on return, with or without the lock.
        self.try_lock()
    }

    /// Waits for the lock on the calling thread, until it is taken, patience runs out, or nobody wants it any more.
    fn wait(&self, is_unwanted: &AtomicBool) -> Result<Box<dyn FileLock>, Error> {
        let retry = |attempt: &dyn Fn() -> Result<Option<Box<dyn FileLock>>, Error>| loop {
            if let Some(lock) = attempt()? {
                return Ok(lock);
            }
            // Checked after the attempt, so that an attempt without patience still gets one try.
            if self.waited() >= self.patience || is_unwanted.load(Ordering::Relaxed) {
                return Err(self.busy());
            }
            thread::sleep(LEASE_PAUSE);
        };
        // The turn stays locked while this waits for the lease itself. That is what holds back new shared holders.
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
            // The lease is usually free, and then trying is cheaper than switching to another thread.
            if let Some(lock) = attempt.lock_now()? {
                return Ok(attempt.into_lease(lock, Some(place)));
            }
            if attempt.patience.is_zero() {
                return Err(attempt.busy());
            }
            // The thread cannot be cancelled. If this future is dropped, the flag makes it stop at its next look.
            let unwanted = Arc::new(AtomicBool::new(false));
            let _given_up = OnDrop(Arc::clone(&unwanted));
            // The place moves along: while this thread waits, the next caller in the queue would wait in vain.
            super::blocking(move || {
                let lock = attempt.wait(&unwanted)?;
                Ok(attempt.into_lease(lock, Some(place)))
            })
            .await
        })
    }
}
