//! The things that the events of a session refer to and do not contain.

use std::collections::BTreeSet;

use piton_core::{Digest, SnapshotRef, WorkflowHash};

use crate::event::{EventBody, OutputPayload, SessionEvent};

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
