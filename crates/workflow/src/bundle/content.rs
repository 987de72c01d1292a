//! The content of a session, and the things that its events refer to.
//!
//! *Invariants*: the bytes of an artifact are written as base64 with padding, in the only spelling that the
//! bytes have. Every artifact is written like this, JSON included: bytes are what is hashed, stored and
//! compared, and an artifact is never parsed for a transfer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use piton_core::{Digest, FileBytes, SessionId, SnapshotRef, WorkflowHash};
use piton_store::record::Record;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::compile::CompiledWorkflow;
use crate::event::{EventBody, OutputPayload, SessionEvent};
use crate::snapshot::ExecutionSnapshot;

/// Everything that a session consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionContent {
    /// The session.
    #[serde(rename = "sessionId")]
    pub session: SessionId,
    /// Its events, by their index.
    pub events: Vec<SessionEvent>,
    /// Its control records, by their index.
    // Only what was salvaged has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub manifest: Vec<Record>,
    /// The snapshots of its nodes.
    pub snapshots: BTreeMap<SnapshotRef, ExecutionSnapshot>,
    /// The workflows that its runs are pinned to.
    pub pinned_workflows: BTreeMap<WorkflowHash, CompiledWorkflow>,
    /// The artifacts of its outputs; left out if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<Digest, ArtifactBytes>,
}

impl SessionContent {
    /// Creates the content of `session` with `events` and nothing that they refer to.
    pub const fn new(session: SessionId, events: Vec<SessionEvent>, manifest: Vec<Record>) -> Self {
        Self {
            session,
            events,
            manifest,
            snapshots: BTreeMap::new(),
            pinned_workflows: BTreeMap::new(),
            artifacts: BTreeMap::new(),
        }
    }

    /// Returns the events as they would be if the session had another id: that id is in each of them and in
    /// its dedupe key, and the rest is the same.
    pub fn events_as(&self, session: SessionId) -> Vec<SessionEvent> {
        let rewrite = |event: &SessionEvent| {
            let body = event.body().clone();
            // Building the event again derives its dedupe key for the new session.
            SessionEvent::new(session, event.index(), event.id(), event.timestamp(), body)
        };
        self.events.iter().map(rewrite).collect()
    }
}

/// The things that events refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    pub snapshots: BTreeSet<SnapshotRef>,
    pub workflows: BTreeSet<WorkflowHash>,
    pub artifacts: BTreeSet<Digest>,
}

impl Needed {
    /// Collects what `events` refer to.
    pub fn by<'a>(events: impl IntoIterator<Item = &'a SessionEvent>) -> Self {
        let mut needed = Self::default();
        for event in events {
            match event.body() {
                EventBody::RunStarted(_, run) => {
                    needed.workflows.insert(run.workflow_hash);
                }
                EventBody::NodeCreated(_, node) => {
                    needed.snapshots.insert(node.snapshot_ref);
                }
                EventBody::NodeOutputAppended(_, output) => {
                    if let OutputPayload::ArtifactRef { sha256, .. } = output.payload {
                        needed.artifacts.insert(sha256);
                    }
                }
                // Listed one by one, so that a new kind of event makes this fail to build until someone
                // decides.
                EventBody::SessionCreated
                | EventBody::ObservationRecorded { .. }
                | EventBody::EdgeCreated(..)
                | EventBody::AdvanceRecorded(..)
                | EventBody::PreferencesChanged(..)
                | EventBody::CapabilityObserved(..)
                | EventBody::GapRecorded(..)
                | EventBody::DivergenceRecorded(..)
                | EventBody::DecisionTraceAppended(..)
                | EventBody::ContextSet(..) => {}
            }
        }
        needed
    }
}

/// The bytes of an artifact.
#[derive(Clone, PartialEq, Eq)]
pub struct ArtifactBytes(Vec<u8>);

impl ArtifactBytes {
    /// Wraps `bytes` as an artifact.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes, owned.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }

    /// Returns the digest that events refer to the artifact by.
    pub fn digest(&self) -> Digest {
        Digest::of(&FileBytes(&self.0))
    }
}

impl fmt::Debug for ArtifactBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ArtifactBytes({} bytes)", self.0.len())
    }
}

impl Serialize for ArtifactBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for ArtifactBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // The decoder refuses other spellings, so the text follows from the bytes.
        let bytes = BASE64.decode(text);
        bytes.map(Self).map_err(|_| D::Error::custom("an artifact is base64 with padding"))
    }
}

impl schemars::JsonSchema for ArtifactBytes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ArtifactBytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "contentEncoding": "base64" })
    }
}
