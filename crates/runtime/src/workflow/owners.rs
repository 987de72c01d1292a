//! What keeps the blobs of each namespace alive: the one place that a cleaning asks.
//!
//! *Invariants*: every namespace of blobs has its owner here; a new one does not compile without. A namespace whose
//! owner this process was not given is not touched.

use std::sync::Arc;

use piton_backpack::journal::BackpackRoots;
use piton_context::FrameRoots;
use piton_store::PinnedSnapshots;
use piton_store::port::{BlobNamespace, JournalReader, Roots};
use piton_workflow::SessionEvent;
use piton_workflow::maintenance::EventRoots;
use piton_workspaces::virtual_store::VirtualRoots;

use super::runtime::Runtime;

impl Runtime {
    /// The owners of every namespace.
    pub(super) fn owners(&self) -> Vec<Box<dyn Roots + '_>> {
        BlobNamespace::ALL.iter().filter_map(|namespace| self.owner(*namespace)).collect()
    }

    /// What keeps the blobs of a namespace alive; nothing if its part is not kept here.
    fn owner(&self, namespace: BlobNamespace) -> Option<Box<dyn Roots + '_>> {
        let sessions: &dyn JournalReader<SessionEvent> = &*self.ports.journal;
        Some(match namespace {
            BlobNamespace::Snapshots => Box::new(PinnedSnapshots::new(sessions)),
            BlobNamespace::Artifacts => Box::new(EventRoots::artifacts(sessions)),
            BlobNamespace::PinnedWorkflows => Box::new(EventRoots::pinned_workflows(sessions)),
            BlobNamespace::Backpacks => {
                Box::new(BackpackRoots::new(&*self.backpacks.as_ref()?.journal))
            }
            BlobNamespace::Virtual => Box::new(VirtualRoots::new(Arc::clone(&self.ports.table))),
            BlobNamespace::Context => Box::new(FrameRoots::new(&*self.frames.as_ref()?.table)),
        })
    }
}
