//! The records of the nodes of a run: their outputs, and beside them divergences from the workflow, observed
//! capabilities, and the engine's reasons for its choices. Nothing is decided by the records beside the outputs; people
//! and agents read them, in sentences that are made here.
//!
//! *Limitations*: the current outputs of a node are the same for all branches that begin there.
//! [`RunState::outputs_toward`](super::RunState::outputs_toward) selects those of one branch.

use piton_core::{EventIndex, NodeId, OutputId};

use super::advances::Submission;
use crate::event::{
    CapabilityObserved, CapabilityProvenance, DecisionTraceAppended, DivergenceRecorded,
    NodeOutputAppended, OutputChannel, OutputPayload, TraceEntry, TraceEntryKind, UseResult,
};
use crate::id_map::IdMap;

/// A recorded output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedOutput {
    pub id: OutputId,
    /// The event that recorded it.
    pub index: EventIndex,
    pub payload: OutputPayload,
    /// The attempt that it was submitted with; none for the notes of a bookmark.
    pub submission: Option<Submission>,
    /// The earlier output that it corrects.
    pub supersedes: Option<OutputId>,
    /// Set when a later output of the node took its place.
    pub superseded: bool,
}

impl RecordedOutput {
    /// Returns its text, if it is notes.
    pub fn notes(&self) -> Option<&str> {
        match &self.payload {
            OutputPayload::Notes { notes_markdown } => Some(notes_markdown.as_str()),
            OutputPayload::ArtifactRef { .. } => None,
        }
    }
}

/// The outputs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    by_node: IdMap<NodeId, Vec<RecordedOutput>>,
}

impl Outputs {
    /// Adds an output that came with `submission`.
    pub(super) fn add(
        &mut self,
        node: NodeId,
        submission: Option<Submission>,
        output: &NodeOutputAppended,
        index: EventIndex,
    ) {
        let outputs = self.by_node.entry(node).or_default();
        if let Some(old) = output.supersedes_output_id {
            for output in outputs.iter_mut().filter(|output| output.id == old) {
                output.superseded = true;
            }
        }
        outputs.push(RecordedOutput {
            id: output.output_id,
            index,
            payload: output.payload.clone(),
            submission,
            supersedes: output.supersedes_output_id,
            superseded: false,
        });
    }

    /// Returns everything that a node recorded, in order, including superseded outputs.
    pub fn at_node(&self, node: NodeId) -> &[RecordedOutput] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Iterates over the current outputs on a channel of a node, newest last.
    pub fn current(
        &self,
        node: NodeId,
        channel: OutputChannel,
    ) -> impl Iterator<Item = &RecordedOutput> {
        let standing = move |output: &&RecordedOutput| {
            !output.superseded && output.payload.channel() == channel
        };
        self.at_node(node).iter().filter(standing)
    }

    /// Returns the current notes of a node.
    pub fn recap(&self, node: NodeId) -> Option<&str> {
        self.current(node, OutputChannel::Recap).last()?.notes()
    }
}

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
