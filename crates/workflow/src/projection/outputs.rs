//! What the nodes of a run produced.

use piton_core::{EventIndex, NodeId, OutputId};

use super::{graph::RunGraph, inherited::Inherited};
use crate::{
    event::{NodeOutputAppended, OutputPayload},
    id_map::IdMap,
    output::OutputChannel,
};

/// A recorded output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its id.
    pub id: OutputId,
    /// The event that recorded it.
    pub index: EventIndex,
    /// What it is.
    pub payload: OutputPayload,
    /// Whether a later output of the node took its place.
    pub superseded: bool,
}

/// The outputs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    by_node: IdMap<NodeId, Vec<Output>>,
    /// The nodes that have notes.
    noted: Inherited<()>,
}

impl Outputs {
    /// Takes note of a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, node: NodeId) {
        self.noted.add_node(graph, node);
    }

    /// Adds an output.
    pub(super) fn add(
        &mut self,
        graph: &RunGraph,
        node: NodeId,
        output: &NodeOutputAppended,
        index: EventIndex,
    ) {
        if output.channel() == OutputChannel::Recap {
            self.noted.set(graph, node, ());
        }
        let outputs = self.by_node.entry(node).or_default();
        if let Some(old) = output.supersedes_output_id {
            for output in outputs.iter_mut().filter(|output| output.id == old) {
                output.superseded = true;
            }
        }
        let (id, payload) = (output.output_id, output.payload.clone());
        outputs.push(Output { id, index, payload, superseded: false });
    }

    /// Everything that a node recorded, in order; history included.
    pub fn of(&self, node: NodeId) -> &[Output] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// What stands on a channel of a node, newest last.
    pub fn current(&self, node: NodeId, channel: OutputChannel) -> impl Iterator<Item = &Output> {
        let standing =
            move |output: &&Output| !output.superseded && output.payload.channel() == channel;
        self.of(node).iter().filter(standing)
    }

    /// The notes that stand on a node.
    pub fn recap(&self, node: NodeId) -> Option<&str> {
        match &self.current(node, OutputChannel::Recap).last()?.payload {
            OutputPayload::Notes { notes_markdown } => Some(notes_markdown.as_str()),
            OutputPayload::ArtifactRef { .. } => None,
        }
    }

    /// The nearest node that has notes: `node` itself, or one that it came from.
    pub fn noted(&self, node: NodeId) -> Option<NodeId> {
        self.noted.source(node)
    }
}
