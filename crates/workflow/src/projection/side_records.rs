//! Records at a node beside its outputs: divergences from the workflow, observed capabilities, and the engine's
//! reasons for its choices. Nothing is decided by them; people and agents read them, in sentences that are made here.

use piton_core::{EventIndex, NodeId};

use super::advances::Submission;
use crate::event::{
    CapabilityObserved, CapabilityProvenance, DecisionTraceAppended, DivergenceRecorded,
    TraceEntry, UseResult,
};
use crate::explanation::TraceEntryKind;
use crate::id_map::IdMap;

/// A record beside the outputs of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideRecord {
    /// The event that recorded it.
    pub index: EventIndex,
    /// The attempt that it came with.
    pub submission: Option<Submission>,
    pub body: SideRecordBody,
}

/// The content of a side record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SideRecordBody {
    /// The agent left the workflow on purpose.
    Divergence(DivergenceRecorded),
    /// The agent found out whether it has a capability.
    Capability(CapabilityObserved),
    /// The engine explains a choice.
    Trace(DecisionTraceAppended),
}

/// The records of a run that are not outputs, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideRecords {
    by_node: IdMap<NodeId, Vec<SideRecord>>,
}

impl SideRecords {
    pub(super) fn add(&mut self, node: NodeId, record: SideRecord) {
        self.by_node.entry(node).or_default().push(record);
    }

    /// Returns the records of a node, for all branches that begin there.
    pub fn at_node(&self, node: NodeId) -> &[SideRecord] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// True for entries that are shown. The choice of the next step is not: the steps themselves show it.
fn is_shown(entry: &TraceEntry) -> bool {
    entry.kind != TraceEntryKind::SelectedNextStep
}

impl SideRecord {
    /// True if [`SideRecord::lines`] has any.
    pub fn has_lines(&self) -> bool {
        match &self.body {
            SideRecordBody::Divergence(_) | SideRecordBody::Capability(_) => true,
            SideRecordBody::Trace(trace) => trace.entries().iter().any(is_shown),
        }
    }

    /// Returns the record in sentences.
    pub fn lines(&self) -> Vec<String> {
        match &self.body {
            SideRecordBody::Divergence(divergence) => {
                let step = divergence.related_step_id.as_ref();
                let step = step.map(|step| format!(" at {step}")).unwrap_or_default();
                let (reason, summary) = (divergence.reason, divergence.summary.as_str());
                vec![format!("left the workflow{step} ({reason}): {summary}")]
            }
            SideRecordBody::Capability(observed) => vec![observation_line(observed)],
            SideRecordBody::Trace(trace) => trace
                .entries()
                .iter()
                .filter(|entry| is_shown(entry))
                .map(|entry| format!("{}: {}", entry.kind, entry.summary.as_str()))
                .collect(),
        }
    }
}

fn observation_line(observed: &CapabilityObserved) -> String {
    let how = match observed.provenance() {
        CapabilityProvenance::ProbeStep { result, .. } => format!("probed: {result}"),
        CapabilityProvenance::AttemptedUse { result: UseResult::Success, .. } => {
            "used: success".to_owned()
        }
        CapabilityProvenance::AttemptedUse { result: UseResult::Failure(code), .. } => {
            format!("used: failure, {code}")
        }
        CapabilityProvenance::ManualClaim { claimed_by, claim } => {
            format!("{claimed_by} says {claim}")
        }
    };
    format!("the capability {} is {} ({how})", observed.capability(), observed.status())
}
