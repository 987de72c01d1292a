//! Leases: locks between processes.

use std::{fmt, time::Duration};

use super::BoxFuture;
use crate::{Error, LeaseName};

/// Sharing mode of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One holder only.
    Exclusive,
    /// Any number of holders that all share it.
    Shared,
}

/// Behavior while another holder has the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    FailFast,
    /// Try for this long.
    Wait(Duration),
}

impl Patience {
    /// Returns the longest time to wait.
    pub(crate) fn duration(self) -> Duration {
        match self {
            Self::FailFast => Duration::ZERO,
            Self::Wait(time) => time,
        }
    }
}

/// Locks between processes.
///
/// Promise:
/// - An exclusive lease has one holder. Shared ones have any number, and no exclusive one beside them.
/// - A lease is released when it is dropped, and when its holder dies, however it dies.
/// - A waiting exclusive lease keeps new shared ones out, so that they cannot starve it.
pub trait Leases: Send + Sync {
    /// Takes a lease, or reports that it is held.
    fn acquire<'a>(
        &'a self,
        name: &'a LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> BoxFuture<'a, Result<Lease, Error>>;
}

/// An adapter's own part of a lease; dropping it releases the lease.
pub(crate) trait Hold: Send + Sync {}

/// A held lease, released when dropped.
pub struct Lease {
    name: LeaseName,
    mode: Mode,
    _hold: Box<dyn Hold>,
}

impl Lease {
    pub(crate) fn new(name: LeaseName, mode: Mode, hold: Box<dyn Hold>) -> Self {
        Self { name, mode, _hold: hold }
    }

    /// Returns the name of the lease.
    pub fn name(&self) -> &LeaseName {
        &self.name
    }

    /// Returns the mode in which the lease is held.
    pub fn mode(&self) -> Mode {
        self.mode
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lease({}, {:?})", self.name, self.mode)
    }
}
