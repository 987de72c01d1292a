//! The content of a session.

use std::collections::BTreeMap;

use piton_core::{Digest, SessionId, SnapshotRef, WorkflowHash};
use piton_store::record::Record;
use serde::{Deserialize, Serialize};

use super::artifact::ArtifactBytes;
use crate::compile::CompiledWorkflow;
use crate::event::SessionEvent;
use crate::snapshot::ExecutionSnapshot;

/// Everything that a session consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionContent {
    /// The session.
    #[serde(rename = "sessionId")]
    pub session: SessionId,
    /// Its events, by their index.
    pub events: Vec<SessionEvent>,
    /// Its control records, by their index.
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
