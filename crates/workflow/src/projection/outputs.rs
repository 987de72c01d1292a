//! The outputs of the nodes of a run.
//!
//! *Limitations*: the current outputs of a node are the same for all branches that begin there.
//! [`RunState::outputs_toward`](super::RunState::outputs_toward) selects those of one branch.

use piton_core::{EventIndex, NodeId, OutputId};

use super::advances::Submission;
use crate::event::{NodeOutputAppended, OutputPayload};
use crate::id_map::IdMap;
use crate::output::OutputChannel;

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
