//! Export: makes a bundle of a whole session, or saves the valid part of a damaged one for inspection.

use std::collections::BTreeMap;
use std::fmt::Display;

use piton_core::{BundleId, Digest, SessionId, SnapshotRef, WorkflowHash};
use piton_store::StreamId;
use piton_store::port::{BlobNamespace, Blobs};
use piton_store::record::Record;

use super::error::TransferError;
use super::ports::TransferPorts;
use crate::bundle::{
    ArtifactBytes, Bundle, BundleOrigin, EntryPath, InspectionBundle, Needed, Producer, Salvage,
    SalvagedContent, SessionContent,
};
use crate::compile::CompiledWorkflow;
use crate::event::SessionEvent;
use crate::snapshot::ExecutionSnapshot;

/// Makes a bundle of `session`. The same session gives the same bundle, apart from its id and time.
///
/// Nothing is locked: events that are appended meanwhile are not in the bundle.
pub async fn export(
    ports: TransferPorts<'_>,
    session: SessionId,
    producer: Producer,
) -> Result<Bundle, TransferError> {
    let stream = StreamId::from(session);
    let loaded = ports.journal.load(&stream).await?;
    if loaded.events.is_empty() {
        // The stream holds nothing but a first write that never ended.
        return Err(piton_store::Error::NotFound { stream }.into());
    }
    let mut manifest = ports.journal.records(&stream).await?;
    // The manifest was read after the events and may cover newer ones. Cut it back to what the bundle holds.
    let next = loaded.cursor.next_event();
    let is_later = |record: &Record| match record {
        Record::SegmentClosed(close) => close.first_event_index >= next,
        Record::SnapshotPinned(pin) => pin.event_index >= next,
    };
    if let Some(first) = manifest.iter().position(is_later) {
        manifest.truncate(first);
    }
    let gathered = gather(ports.blobs, session, &loaded.events).await;
    // A bundle is complete or not made at all. Salvage is the way to save a part.
    if let Some((_, error)) = gathered.unreadable.into_iter().next() {
        return Err(error);
    }
    let content = SessionContent {
        session,
        events: loaded.events,
        manifest,
        snapshots: gathered.snapshots,
        pinned_workflows: gathered.pinned_workflows,
        artifacts: gathered.artifacts,
    };
    Ok(Bundle::new(origin(ports, producer), content)?)
}

/// Saves the events of `session` up to the first thing in it that is not valid, with all readable content that they
/// refer to. Nothing is changed, and the result cannot be imported.
pub async fn salvage(
    ports: TransferPorts<'_>,
    session: SessionId,
    producer: Producer,
) -> Result<InspectionBundle, TransferError> {
    let stream = StreamId::from(session);
    let salvaged = ports.journal.load_validated_prefix(&stream).await?;
    let gathered = gather(ports.blobs, session, &salvaged.events).await;
    let salvage = Salvage {
        reason: salvaged.health.to_string(),
        health: salvaged.health,
        events_valid: salvaged.events.len() as u64,
        torn_tail: salvaged.torn_tail,
        unreadable: gathered.unreadable.into_iter().map(|(path, _)| path).collect(),
    };
    let content = SalvagedContent {
        session,
        events: salvaged.events,
        snapshots: gathered.snapshots,
        pinned_workflows: gathered.pinned_workflows,
        artifacts: gathered.artifacts,
    };
    Ok(InspectionBundle { origin: origin(ports, producer), salvage, content })
}

/// Describes the origin of a bundle that is made now.
fn origin(ports: TransferPorts<'_>, producer: Producer) -> BundleOrigin {
    let (bundle_id, exported_at) = (BundleId::mint(ports.entropy), ports.clock.now_ms());
    BundleOrigin { bundle_id, exported_at, producer }
}

/// The content that events refer to, and the parts of it that could not be read.
#[derive(Default)]
struct Gathered {
    snapshots: BTreeMap<SnapshotRef, ExecutionSnapshot>,
    pinned_workflows: BTreeMap<WorkflowHash, CompiledWorkflow>,
    artifacts: BTreeMap<Digest, ArtifactBytes>,
    /// Unreadable parts in the order of their paths, each with the reason.
    unreadable: Vec<(EntryPath, TransferError)>,
}

/// Reads everything that `events` refer to. Continues past what cannot be read.
async fn gather(blobs: &dyn Blobs, session: SessionId, events: &[SessionEvent]) -> Gathered {
    let needed = Needed::by(events);
    let mut gathered = Gathered::default();
    let unusable = |path, problem: &dyn Display| {
        let problem = problem.to_string();
        (path, TransferError::Unusable { session, path, problem })
    };
    for key in needed.snapshots {
        let path = EntryPath::Snapshot(key);
        match blobs.fetch(BlobNamespace::Snapshots, key.digest()).await {
            Ok(bytes) => match ExecutionSnapshot::decode(&bytes) {
                Ok(snapshot) => drop(gathered.snapshots.insert(key, snapshot)),
                Err(problem) => gathered.unreadable.push(unusable(path, &problem)),
            },
            Err(error) => gathered.unreadable.push((path, error.into())),
        }
    }
    for key in needed.workflows {
        let path = EntryPath::PinnedWorkflow(key);
        match blobs.fetch(BlobNamespace::PinnedWorkflows, key.digest()).await {
            Ok(bytes) => match CompiledWorkflow::read(&bytes) {
                Ok(workflow) => drop(gathered.pinned_workflows.insert(key, workflow)),
                Err(problem) => gathered.unreadable.push(unusable(path, &problem)),
            },
            Err(error) => gathered.unreadable.push((path, error.into())),
        }
    }
    for key in needed.artifacts {
        match blobs.fetch(BlobNamespace::Artifacts, key).await {
            Ok(bytes) => drop(gathered.artifacts.insert(key, ArtifactBytes::new(bytes))),
            Err(error) => gathered.unreadable.push((EntryPath::Artifact(key), error.into())),
        }
    }
    gathered
}
