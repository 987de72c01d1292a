//! What is left of a damaged session, to be looked at.
//!
//! *Invariants*: it says that it was salvaged and how much of the session it holds, and it claims nothing
//! beyond that. It is written and never read: [`Bundle::read`](super::Bundle::read) refuses it, so that
//! nobody goes on from half of a session.

use std::collections::BTreeMap;

use piton_core::{CanonicalBytes, Digest, SessionId, SnapshotRef, WorkflowHash, canonical};
use piton_store::{Health, TornTail};
use serde::Serialize;

use super::artifact::ArtifactBytes;
use super::error::BundleError;
use super::integrity::{Integrity, Parts};
use super::path::EntryPath;
use super::whole::{BundleFields, BundleOrigin, NEWEST};
use crate::compile::CompiledWorkflow;
use crate::event::SessionEvent;
use crate::snapshot::ExecutionSnapshot;

/// How much of a session was saved, and why not all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Salvage {
    /// How sound the session is.
    pub health: Health,
    /// The same in words.
    pub reason: String,
    /// How many events are valid; the bundle holds these and no others.
    pub events_valid: u64,
    /// Bytes at the end that were never acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torn_tail: Option<TornTail>,
    /// What these events refer to and what could not be read.
    pub unreadable: Vec<EntryPath>,
}

/// What was saved of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SalvagedContent {
    /// The session.
    #[serde(rename = "sessionId")]
    pub session: SessionId,
    /// Its events before the first thing that is not valid.
    pub events: Vec<SessionEvent>,
    /// Those of their snapshots that could be read.
    pub snapshots: BTreeMap<SnapshotRef, ExecutionSnapshot>,
    /// Those of their workflows that could be read.
    pub pinned_workflows: BTreeMap<WorkflowHash, CompiledWorkflow>,
    /// Those of their artifacts that could be read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<Digest, ArtifactBytes>,
}

/// What is left of a damaged session. It cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectionBundle {
    /// Where it came from.
    pub origin: BundleOrigin,
    /// How much it holds.
    pub salvage: Salvage,
    /// What it holds.
    pub content: SalvagedContent,
}

impl InspectionBundle {
    /// The bundle as canonical JSON.
    pub fn encode(&self) -> Result<CanonicalBytes, BundleError> {
        let Self { origin, salvage, content } = self;
        let integrity = Integrity::of(&Parts {
            events: &content.events,
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
