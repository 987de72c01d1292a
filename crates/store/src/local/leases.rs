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
//! The writers of a stream wait in the same way: [`LockFiles`] is all that the two differ in.
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

/// The files behind something that callers wait for.
pub(super) trait LockFiles: Send + 'static {
    /// Returns the name in the queue and in notices.
    fn name(&self) -> LeaseName;

    /// Locks the file that is held while the lease is being taken, if it is free.
    fn try_turn(&self, exclusive: bool) -> Result<Option<Box<dyn FileLock>>, Error>;

    /// Locks the file that is held with the lease, if it is free.
    fn try_lock(&self, exclusive: bool) -> Result<Option<Box<dyn FileLock>>, Error>;

    /// Returns the error for a caller that waited in vain, or did not wait at all.
    fn refusal(&self, waited_ms: Option<u64>) -> Error;
}

/// The files of a lease.
struct LeaseFiles {
    dir: DataDir,
    name: LeaseName,
}

impl LockFiles for LeaseFiles {
    fn name(&self) -> LeaseName {
        self.name.clone()
    }

    fn try_turn(&self, exclusive: bool) -> Result<Option<Box<dyn FileLock>>, Error> {
        let lock = self.dir.disk().lock(&self.dir.lease_turn(&self.name), exclusive);
        lock.map_err(Error::io("take a lease's turn"))
    }

    fn try_lock(&self, exclusive: bool) -> Result<Option<Box<dyn FileLock>>, Error> {
        let lock = self.dir.disk().lock(&self.dir.lease(&self.name), exclusive);
        lock.map_err(Error::io("take a lease"))
    }

    fn refusal(&self, waited_ms: Option<u64>) -> Error {
        let what = format!("the lease {}", self.name);
        Error::Busy { what, waited_ms: waited_ms.unwrap_or(0) }
    }
}

/// A held lock. Fields drop in order: the lock is released before the place in the queue, so that the next caller finds
/// it free.
pub(super) struct HeldLock {
    _lock: Box<dyn FileLock>,
    _place: Option<Lease>,
}

impl Hold for HeldLock {}
impl FileLock for HeldLock {}

/// One wait for a lease.
struct LeaseAttempt<F> {
    leases: LocalLeases,
    files: F,
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

    /// Returns leases of the same process with a queue of their own, in which other names are free.
    pub(super) fn with_own_queue(&self) -> Self {
        Self::new(self.dir.clone(), Arc::clone(&self.clock), Arc::clone(&self.trace))
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
        let attempt = LeaseAttempt::new(self, self.files(name), mode, patience);
        let hold = attempt.wait(None, &AtomicBool::new(false))?;
        Ok(Lease::new(name.clone(), mode, Box::new(hold)))
    }

    /// Locks files once it is this caller's turn.
    pub(super) async fn lock<F: LockFiles>(
        &self,
        files: F,
        mode: Mode,
        patience: Patience,
    ) -> Result<HeldLock, Error> {
        let attempt = LeaseAttempt::new(self, files, mode, patience);
        let place = attempt.place().await?;
        // The lock is usually free, and then trying is cheaper than switching to another thread.
        if let Some(lock) = attempt.lock_now()? {
            return Ok(attempt.held(lock, Some(place)));
        }
        if attempt.patience.is_zero() {
            return Err(attempt.refusal());
        }
        // The thread cannot be cancelled. If this future is dropped, the flag makes it stop at its next look.
        let unwanted = Arc::new(AtomicBool::new(false));
        let _given_up = OnDrop(Arc::clone(&unwanted));
        // The place moves along: while this thread waits, the next caller in the queue would wait in vain.
        super::blocking(move || attempt.wait(Some(place), &unwanted)).await
    }

    fn files(&self, name: &LeaseName) -> LeaseFiles {
        LeaseFiles { dir: self.dir.clone(), name: name.clone() }
    }
}

impl<F: LockFiles> LeaseAttempt<F> {
    fn new(leases: &LocalLeases, files: F, mode: Mode, patience: Patience) -> Self {
        let started = leases.clock.monotonic();
        Self { leases: leases.clone(), files, mode, patience: patience.duration(), started }
    }

    fn waited(&self) -> Duration {
        self.leases.clock.monotonic().saturating_sub(self.started)
    }

    fn waited_ms(&self) -> u64 {
        u64::try_from(self.waited().as_millis()).unwrap_or(u64::MAX)
    }

    fn refusal(&self) -> Error {
        self.files.refusal((!self.patience.is_zero()).then(|| self.waited_ms()))
    }

    fn is_exclusive(&self) -> bool {
        self.mode == Mode::Exclusive
    }

    /// Waits for a place at the front of this process's queue.
    async fn place(&self) -> Result<Lease, Error> {
        let (queue, name) = (&self.leases.queue, self.files.name());
        if let Ok(place) = queue.acquire(&name, self.mode, Patience::FailFast).await {
            return Ok(place);
        }
        // The queue in memory has no timer of its own, so the runtime's timer ends the wait.
        let waiting = queue.acquire(&name, self.mode, Patience::Wait(self.patience));
        match timeout(self.patience, waiting).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(self.refusal()),
        }
    }

    /// True if this attempt goes through the turn. Others hold the turn for an instant only, and an attempt that does
    /// not wait must not fail because of that.
    fn needs_turn(&self) -> bool {
        !self.is_exclusive() || !self.patience.is_zero()
    }

    /// Returns the lock if it is free now.
    fn lock_now(&self) -> Result<Option<Box<dyn FileLock>>, Error> {
        let needs_turn = self.needs_turn();
        let turn = if needs_turn { self.files.try_turn(self.is_exclusive())? } else { None };
        // Another attempt has the turn. If it waits for the lease, this one must not get in first.
        if needs_turn && turn.is_none() {
            return Ok(None);
        }
        // The turn is released on return, with or without the lock.
        self.files.try_lock(self.is_exclusive())
    }

    /// Waits for the lock on the calling thread, until it is taken, patience runs out, or nobody wants it any more.
    fn wait(&self, place: Option<Lease>, is_unwanted: &AtomicBool) -> Result<HeldLock, Error> {
        let retry = |attempt: &dyn Fn() -> Result<Option<Box<dyn FileLock>>, Error>| loop {
            if let Some(lock) = attempt()? {
                return Ok(lock);
            }
            // Checked after the attempt, so that an attempt without patience still gets one try.
            if self.waited() >= self.patience || is_unwanted.load(Ordering::Relaxed) {
                return Err(self.refusal());
            }
            thread::sleep(LEASE_PAUSE);
        };
        let is_exclusive = self.is_exclusive();
        // The turn stays locked while this waits for the lease itself. That is what holds back new shared holders.
        let turn = || retry(&|| self.files.try_turn(is_exclusive));
        let _turn = self.needs_turn().then(turn).transpose()?;
        let lock = retry(&|| self.files.try_lock(is_exclusive))?;
        Ok(self.held(lock, place))
    }

    fn held(&self, lock: Box<dyn FileLock>, place: Option<Lease>) -> HeldLock {
        if self.waited() >= LEASE_NOTICE_AFTER {
            let (name, waited_ms) = (self.files.name().to_string(), self.waited_ms());
            self.leases.trace.notice(&Notice::LeaseWaited { name, waited_ms });
        }
        HeldLock { _lock: lock, _place: place }
    }
}

impl Leases for LocalLeases {
    fn acquire<'a>(
        &'a self,
        name: &'a LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> BoxFuture<'a, Result<Lease, Error>> {
        Box::pin(async move {
            let hold = self.lock(self.files(name), mode, patience).await?;
            Ok(Lease::new(name.clone(), mode, Box::new(hold)))
        })
    }
}
