//! The store as the product opens it, and the runtime that drives it.

use std::path::Path;
use std::sync::Arc;

use piton_core::port::NoTrace;
use piton_store::Event;
use piton_store::local::disk::Disk;
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, SegmentedJournal, SystemClock,
};
use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};

/// The ports of a process that has just opened a data directory.
pub(crate) struct LocalPorts {
    pub(crate) dir: DataDir,
    pub(crate) blobs: LocalBlobs,
    pub(crate) leases: LocalLeases,
}

impl LocalPorts {
    /// Opens an existing data directory.
    pub(crate) fn open(disk: Arc<dyn Disk>, root: &Path) -> Result<Self> {
        let dir = DataDir::on(disk, root)?;
        let blobs = LocalBlobs::new(dir.clone());
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
        Ok(Self { dir, blobs, leases })
    }

    /// Returns a journal for the streams of sessions.
    pub(crate) fn sessions<E: Event>(&self) -> SegmentedJournal<E> {
        let Self { dir, blobs, leases } = self;
        SegmentedJournal::sessions(dir.clone(), blobs.clone(), leases.clone(), Arc::new(NoTrace))
    }

    /// Returns a journal for the streams of backpacks.
    pub(crate) fn backpacks<E: Event>(&self) -> LogJournal<E> {
        let Self { dir, blobs, leases } = self;
        LogJournal::backpacks(dir.clone(), blobs.clone(), leases.clone(), Arc::new(NoTrace))
    }
}

/// Starts a runtime with a thread for each core.
pub(crate) fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().map_err(Error::io("start a runtime"))
}

/// Starts a runtime with one thread beside the one that waits.
pub(crate) fn one_worker() -> Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).build().map_err(Error::io("start a runtime"))
}
