//! The effects that the use cases of context need.

use std::path::PathBuf;
use std::sync::Arc;

use piton_context::{Context, ProjectId};
use piton_core::port::Clock;
use piton_store::port::{Blobs, Leases, Table};

/// The effects that the use cases of context need. The code that constructs this chooses the adapters.
#[derive(Clone)]
pub struct FramePorts {
    /// Trees, frames, heads and indices of every project.
    pub table: Arc<dyn Table>,
    /// Contents that are too large for the table.
    pub blobs: Arc<dyn Blobs>,
    /// Locks for regeneration, and for writing while others collect.
    pub leases: Arc<dyn Leases>,
    pub clock: Arc<dyn Clock>,
    /// Directory for the stamps of scanners; `None` if they keep none.
    pub stamps: Option<PathBuf>,
}

impl std::fmt::Debug for FramePorts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("FramePorts").finish_non_exhaustive()
    }
}

impl FramePorts {
    pub(super) fn context(&self, project: ProjectId) -> Context {
        let ports = piton_context::ContextPorts {
            table: Arc::clone(&self.table),
            blobs: Arc::clone(&self.blobs),
            leases: Arc::clone(&self.leases),
            clock: Arc::clone(&self.clock),
        };
        Context::new(ports, project)
    }
}
