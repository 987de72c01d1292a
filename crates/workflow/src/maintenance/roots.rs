//! The roots that keep the blobs of sessions alive: pins, events, and data that repairs set aside.

use piton_core::WorkflowHash;
use piton_store::JournalRoots;
use piton_store::port::{BlobNamespace, JournalReader, Roots};

use crate::bundle::Needed;
use crate::event::SessionEvent;

/// Returns the roots that keep the blobs of sessions alive, one owner for each of their namespaces.
pub fn session_owners<'a>(
    journal: &'a dyn JournalReader<SessionEvent>,
) -> [Box<dyn Roots + 'a>; 3] {
    [
        Box::new(JournalRoots::pins(journal)),
        Box::new(artifact_roots(journal)),
        Box::new(workflow_roots(journal)),
    ]
}

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
