//! The remains of a damaged session, for inspection only.
//!
//! *Invariants*: the file says that it was salvaged and how much of the session it holds, and it claims
//! nothing beyond that. It is written and never read: [`Bundle::read`](super::Bundle::read) refuses it, so
//! that nobody resumes half of a session.

use std::collections::BTreeMap;

use piton_core::{CanonicalBytes, Digest, SessionId, SnapshotRef, WorkflowHash, canonical};
use piton_store::{Health, TornTail};
use serde::Serialize;

use super::content::ArtifactBytes;
use super::error::BundleError;
use super::file::{BundleFields, BundleOrigin, NEWEST};
use super::integrity::{EntryPath, Integrity, Parts};
use crate::compile::CompiledWorkflow;
use crate::event::SessionEvent;
use crate::snapshot::ExecutionSnapshot;

/// The extent of a salvage, and the reason that it is not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Salvage {
    pub health: Health,
    /// The health in words.
    pub reason: String,
    /// Number of valid events; the bundle holds these and no others.
    pub events_valid: u64,
    /// Bytes at the end that were never acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torn_tail: Option<TornTail>,
    /// The parts that these events refer to and that could not be read.
    pub unreadable: Vec<EntryPath>,
}

/// The part of a session that could be salvaged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SalvagedContent {
    #[serde(rename = "sessionId")]
    pub session: SessionId,
    /// The events before the first invalid one.
    pub events: Vec<SessionEvent>,
    /// The readable ones of their snapshots.
    pub snapshots: BTreeMap<SnapshotRef, ExecutionSnapshot>,
    /// The readable ones of their workflows.
    pub pinned_workflows: BTreeMap<WorkflowHash, CompiledWorkflow>,
    /// The readable ones of their artifacts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<Digest, ArtifactBytes>,
}

/// The remains of a damaged session. They cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectionBundle {
    pub origin: BundleOrigin,
    pub salvage: Salvage,
    pub content: SalvagedContent,
}

impl InspectionBundle {
    /// Encodes the bundle as canonical JSON.
    pub fn encode(&self) -> Result<CanonicalBytes, BundleError> {
        let Self { origin, salvage, content } = self;
        let integrity = Integrity::of(&Parts {
            events: &content.events,
            // Control records attest whole plans; what was salvaged may end in the middle of one, so none are
            // claimed.
            manifest: None,
            snapshots: &content.snapshots,
            pinned_workflows: &content.pinned_workflows,
            artifacts: &content.artifacts,
        })?;
        Ok(canonical::encode(&BundleFields::new(
            NEWEST,
            origin,
            &integrity,
            Some(salvage),
            content,
        ))?)
    }
}
