//! The roots that keep the artifacts and the pinned workflows of sessions alive. Snapshots have their pins:
//! [`JournalRoots::pins`].

use piton_core::WorkflowHash;
use piton_store::JournalRoots;
use piton_store::port::{BlobNamespace, JournalReader};

use crate::bundle::Needed;
use crate::event::SessionEvent;

/// Returns the roots of artifacts.
pub fn artifact_roots(journal: &dyn JournalReader<SessionEvent>) -> JournalRoots<'_, SessionEvent> {
    JournalRoots::events(journal, BlobNamespace::Artifacts, |events| {
        Needed::by(events).artifacts.into_iter().collect()
    })
}

/// Returns the roots of pinned workflows.
pub fn workflow_roots(journal: &dyn JournalReader<SessionEvent>) -> JournalRoots<'_, SessionEvent> {
    JournalRoots::events(journal, BlobNamespace::PinnedWorkflows, |events| {
        Needed::by(events).workflows.into_iter().map(WorkflowHash::digest).collect()
    })
}
