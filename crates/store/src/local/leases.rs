//! Leases as locks on files.
//!
//! A lease is two files: the one that is locked while it is held, and a *turn* that is locked for
//! the moment in which it is being taken. Whoever waits for an exclusive lease keeps the turn, so
//! that new shared holders queue behind it instead of starving it.
//!
//! Limitations: a caller that stops waiting before its patience ends leaves the wait behind; it
//! ends, and frees the turn, when the patience does.
#![expect(clippy::disallowed_methods, reason = "waits and blocks on the adapter's threads")]

use std::{sync::Arc, thread, time::Duration};

use piton_core::port::{Clock, Notice, Trace};

use super::{DataDir, disk::FileLock};
use crate::{
    Error, LeaseName,
    bounds::{COLLECTION_WAIT, LEASE_NOTICE_AFTER, LEASE_PAUSE},
    collect,
    port::{BoxFuture, Hold, Lease, Leases, Mode, Patience},
};

/// Leases under a data directory.
#[derive(Clone)]
pub struct LocalLeases {
    dir: DataDir,
    clock: Arc<dyn Clock>,
    trace: Arc<dyn Trace>,
}

struct Held {
    _lock: Box<dyn FileLock>,
}

impl Hold for Held {}

impl LocalLeases {
    /// Leases whose waits are measured by `clock`.
    pub fn new(dir: DataDir, clock: Arc<dyn Clock>, trace: Arc<dyn Trace>) -> Self {
        Self { dir, clock, trace }
    }

    /// Enters the time between a first blob and the end of an append. Blocks.
    pub(super) fn enter_writing(&self) -> Result<Lease, Error> {
        let patience = Patience::Wait(COLLECTION_WAIT);
        self.acquire_blocking(&collect::lease_name(), Mode::Shared, patience)
    }

    /// Takes a lease on the calling thread.
    pub(super) fn acquire_blocking(
        &self,
        name: &LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> Result<Lease, Error> {
        let started = self.clock.monotonic();
        let waited = || self.clock.monotonic().saturating_sub(started);
        let patience = match patience {
            Patience::FailFast => Duration::ZERO,
            Patience::Wait(time) => time,
        };
        let retry = |attempt: &dyn Fn() -> Result<Option<Box<dyn FileLock>>, Error>| loop {
            if let Some(lock) = attempt()? {
                return Ok(lock);
            }
            let waited = waited();
            if waited >= patience {
                let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                return Err(Error::Busy { what: format!("the lease {name}"), waited_ms });
            }
            thread::sleep(LEASE_PAUSE);
        };
        let exclusive = mode == Mode::Exclusive;
        // Others pass through the turn in an instant; who does not wait must not trip over them.
        let turn = (!exclusive || !patience.is_zero())
            .then(|| {
                retry(&|| {
                    let path = self.dir.lease_turn(name);
                    self.dir.disk().lock(&path, exclusive).map_err(Error::io("take a lease's turn"))
                })
            })
            .transpose()?;
        let lock = retry(&|| {
            let path = self.dir.lease(name);
            self.dir.disk().lock(&path, exclusive).map_err(Error::io("take a lease"))
        })?;
        drop(turn);
        if waited() >= LEASE_NOTICE_AFTER {
            let waited_ms = u64::try_from(waited().as_millis()).unwrap_or(u64::MAX);
            self.trace.notice(&Notice::LeaseWaited { name: name.to_string(), waited_ms });
        }
        Ok(Lease::new(name.clone(), mode, Box::new(Held { _lock: lock })))
    }
}

impl Leases for LocalLeases {
    fn acquire<'a>(
        &'a self,
        name: &'a LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> BoxFuture<'a, Result<Lease, Error>> {
        let (own, name) = (self.clone(), name.clone());
        Box::pin(super::blocking(move || own.acquire_blocking(&name, mode, patience)))
    }
}
