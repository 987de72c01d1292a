//! Export: makes a bundle of a whole session, or saves the valid part of a damaged one for inspection. Also the reasons
//! for a transfer to fail.

use std::fmt::Display;

use piton_core::{BundleId, Code, Envelope, SessionId};
use piton_store::StreamId;
use piton_store::port::{BlobNamespace, Blobs};
use piton_store::record::Record;

use crate::bundle::{
    ArtifactBytes, Bundle, BundleError, BundleOrigin, EntryPath, InspectionBundle, Needed,
    Producer, Salvage, SessionContent,
};
use crate::compile::CompiledWorkflow;
use crate::ports::SessionPorts;
use crate::snapshot::ExecutionSnapshot;

/// Makes a bundle of `session`. The same session gives the same bundle, apart from its id and time.
///
/// Nothing is locked: events that are appended meanwhile are not in the bundle.
pub async fn export(
    ports: SessionPorts<'_>,
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
    let mut content = SessionContent::new(session, loaded.events, manifest);
    // A bundle is complete or not made at all. Salvage is the way to save a part.
    if let Some((_, error)) = gather(ports.blobs, &mut content).await.into_iter().next() {
        return Err(error);
    }
    Ok(Bundle::new(origin(ports, producer), content)?)
}

/// Saves the events of `session` up to the first thing in it that is not valid, with all readable content that they
/// refer to. Nothing is changed, and the result cannot be imported.
pub async fn salvage(
    ports: SessionPorts<'_>,
    session: SessionId,
    producer: Producer,
) -> Result<InspectionBundle, TransferError> {
    let stream = StreamId::from(session);
    let salvaged = ports.journal.load_validated_prefix(&stream).await?;
    let events_valid = salvaged.events.len() as u64;
    let mut content = SessionContent::new(session, salvaged.events, Vec::new());
    let unreadable = gather(ports.blobs, &mut content).await;
    let salvage = Salvage {
        reason: salvaged.health.to_string(),
        health: salvaged.health,
        events_valid,
        torn_tail: salvaged.torn_tail,
        unreadable: unreadable.into_iter().map(|(path, _)| path).collect(),
    };
    Ok(InspectionBundle { origin: origin(ports, producer), salvage, content })
}

/// Describes the origin of a bundle that is made now.
fn origin(ports: SessionPorts<'_>, producer: Producer) -> BundleOrigin {
    let (bundle_id, exported_at) = (BundleId::mint(ports.entropy), ports.clock.now_ms());
    BundleOrigin { bundle_id, exported_at, producer }
}

/// Reads everything that the events of `content` refer to, and adds it. Continues past what cannot be read, and returns
/// those parts in the order of their paths, each with the reason.
async fn gather(
    blobs: &dyn Blobs,
    content: &mut SessionContent,
) -> Vec<(EntryPath, TransferError)> {
    let (session, needed) = (content.session, Needed::by(&content.events));
    let mut unreadable = Vec::new();
    let unusable = |path, problem: &dyn Display| {
        let problem = problem.to_string();
        (path, TransferError::Unusable { session, path, problem })
    };
    for key in needed.snapshots {
        let path = EntryPath::Snapshot(key);
        match blobs.fetch(BlobNamespace::Snapshots, key.digest()).await {
            Ok(bytes) => match ExecutionSnapshot::decode(&bytes) {
                Ok(snapshot) => drop(content.snapshots.insert(key, snapshot)),
                Err(problem) => unreadable.push(unusable(path, &problem)),
            },
            Err(error) => unreadable.push((path, error.into())),
        }
    }
    for key in needed.workflows {
        let path = EntryPath::PinnedWorkflow(key);
        match blobs.fetch(BlobNamespace::PinnedWorkflows, key.digest()).await {
            Ok(bytes) => match CompiledWorkflow::read(&bytes) {
                Ok(workflow) => drop(content.pinned_workflows.insert(key, workflow)),
                Err(problem) => unreadable.push(unusable(path, &problem)),
            },
            Err(error) => unreadable.push((path, error.into())),
        }
    }
    for key in needed.artifacts {
        match blobs.fetch(BlobNamespace::Artifacts, key).await {
            Ok(bytes) => drop(content.artifacts.insert(key, ArtifactBytes::new(bytes))),
            Err(error) => unreadable.push((EntryPath::Artifact(key), error.into())),
        }
    }
    unreadable
}

/// Reasons for an export or an import to fail.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The bundle, or the session that it should be made from, breaks a rule.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// Content that the session needs is stored, but cannot be used.
    #[error("{session} cannot be exported: what is stored as `{path}` cannot be used: {problem}")]
    Unusable { session: SessionId, path: EntryPath, problem: String },
}

impl TransferError {
    /// Returns the code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Bundle(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Unusable { .. } => Code::StoreInvariantViolation,
        }
    }

    /// Returns the failure as a person reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Bundle(error) => error.envelope(),
            Self::Store(error) => error.envelope(),
            Self::Unusable { .. } => Envelope::new(self.code(), format!("{self}.")),
        }
    }
}

impl From<TransferError> for Envelope {
    fn from(error: TransferError) -> Self {
        error.envelope()
    }
}
