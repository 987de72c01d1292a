//! Leases: locks between processes.

use std::{fmt, time::Duration};

use super::BoxFuture;
use crate::{Error, LeaseName};

/// Who else may hold a lease at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nobody.
    Exclusive,
    /// Others that share it.
    Shared,
}

/// What to do while somebody else holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Fail at once.
    FailFast,
    /// Try for so long.
    Wait(Duration),
}

/// Locks between processes.
///
/// Promise:
/// - An exclusive lease has one holder; shared ones have any number, and no exclusive one beside.
/// - It is freed when it is dropped, and when its holder dies, however it dies.
/// - A waiting exclusive lease keeps new shared ones out, so that it is not starved by them.
pub trait Leases: Send + Sync {
    /// Takes a lease, or says that it is held.
    fn acquire<'a>(
        &'a self,
        name: &'a LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> BoxFuture<'a, Result<Lease, Error>>;
}

/// What an adapter keeps inside a lease; dropping it frees the lease.
pub(crate) trait Hold: Send + Sync {}

/// A held lease. Dropping it frees it.
pub struct Lease {
    name: LeaseName,
    mode: Mode,
    _hold: Box<dyn Hold>,
}

impl Lease {
    pub(crate) fn new(name: LeaseName, mode: Mode, hold: Box<dyn Hold>) -> Self {
        Self { name, mode, _hold: hold }
    }

    /// What is held.
    pub fn name(&self) -> &LeaseName {
        &self.name
    }

    /// How it is held.
    pub fn mode(&self) -> Mode {
        self.mode
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lease({}, {:?})", self.name, self.mode)
    }
}
