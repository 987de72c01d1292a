//! The owners that keep the blobs of each namespace alive. A cleaning asks here and nowhere else.
//!
//! *Invariants*: every namespace of blobs has its owner here; a new namespace does not compile without one. A namespace
//! is left alone if this process was not given its owner.

use std::sync::Arc;

use piton_backpack::journal::BackpackRoots;
use piton_context::FrameRoots;
use piton_store::JournalRoots;
use piton_store::port::{BlobNamespace, JournalReader, Roots};
use piton_workflow::SessionEvent;
use piton_workflow::maintenance::{artifact_roots, workflow_roots};
use piton_workspaces::virtual_store::VirtualRoots;

use super::runtime::Runtime;

impl Runtime {
    /// Returns the owners of every namespace.
    pub(super) fn owners(&self) -> Vec<Box<dyn Roots + '_>> {
        BlobNamespace::ALL.iter().filter_map(|namespace| self.owner(*namespace)).collect()
    }

    /// Returns the owner of a namespace; `None` if this process does not have that part.
    fn owner(&self, namespace: BlobNamespace) -> Option<Box<dyn Roots + '_>> {
        let sessions: &dyn JournalReader<SessionEvent> = &*self.ports.journal;
        // No wildcard: a new namespace must name its owner before this compiles.
        Some(match namespace {
            BlobNamespace::Snapshots => Box::new(JournalRoots::pins(sessions)),
            BlobNamespace::Artifacts => Box::new(artifact_roots(sessions)),
            BlobNamespace::PinnedWorkflows => Box::new(workflow_roots(sessions)),
            BlobNamespace::Backpacks => {
                Box::new(BackpackRoots::new(&*self.backpacks.as_ref()?.journal))
            }
            BlobNamespace::Virtual => Box::new(VirtualRoots::new(Arc::clone(&self.ports.table))),
            BlobNamespace::Context => Box::new(FrameRoots::new(&*self.frames.as_ref()?.table)),
        })
    }
}
