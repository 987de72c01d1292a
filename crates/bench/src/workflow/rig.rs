//! The use cases over a store, driven from a synchronous thread.

use std::path::Path;
use std::sync::Arc;

use piton_store::local::disk::Disk;
use piton_store::local::{LocalKeyRing, SystemClock, SystemEntropy};
use piton_store::memory::{MemoryBlobs, MemoryJournal, MemoryKeyRing};
use piton_store::port::{Blobs, Journal, KeyRing};
use piton_workflow::SessionEvent;
use piton_workflow::session::Sessions;
use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};
use crate::local_ports::LocalPorts;

/// The use cases and their ports.
///
/// The runtime has no threads of its own except those for files. So the work of a use case shows up as CPU time of the
/// thread that waits for it.
pub(crate) struct WorkflowRig {
    runtime: Runtime,
    pub(crate) sessions: Sessions,
    pub(super) journal: Arc<dyn Journal<SessionEvent>>,
    pub(super) blobs: Arc<dyn Blobs>,
}

impl WorkflowRig {
    /// Opens an existing data directory, as a new process does.
    pub(crate) fn open(disk: Arc<dyn Disk>, root: &Path) -> Result<Self> {
        let ports = LocalPorts::open(disk, root)?;
        let journal = ports.sessions();
        let keys = LocalKeyRing::new(ports.dir, Arc::new(SystemEntropy));
        Self::over(Arc::new(journal), Arc::new(ports.blobs), Arc::new(keys))
    }

    /// Creates a store in memory.
    pub(super) fn in_memory() -> Result<Self> {
        let blobs = MemoryBlobs::new(Arc::new(SystemClock));
        let journal = MemoryJournal::new(blobs.clone());
        let keys = MemoryKeyRing::new(Arc::new(SystemEntropy));
        Self::over(Arc::new(journal), Arc::new(blobs), Arc::new(keys))
    }

    fn over(
        journal: Arc<dyn Journal<SessionEvent>>,
        blobs: Arc<dyn Blobs>,
        keys: Arc<dyn KeyRing>,
    ) -> Result<Self> {
        let runtime =
            Builder::new_current_thread().build().map_err(Error::io("start a runtime"))?;
        let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
        let sessions =
            Sessions::new(Arc::clone(&journal), Arc::clone(&blobs), keys, clock, entropy);
        Ok(Self { runtime, sessions, journal, blobs })
    }

    /// Waits for a call.
    pub(crate) fn wait<F: Future>(&self, call: F) -> F::Output {
        self.runtime.block_on(call)
    }
}
