//! What is recorded at a node beside outputs: why the agent left the workflow, what it found out about its tools, and
//! why the engine chose as it did. Nothing is decided by it; people and agents read it.

use piton_core::{EventIndex, NodeId};

use super::advances::Submission;
use crate::{
    event::{CapabilityObserved, DecisionTraceAppended, DivergenceRecorded},
    id_map::IdMap,
};

/// Something that was recorded beside the outputs of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideRecord {
    /// The event that recorded it.
    pub index: EventIndex,
    /// The attempt that it came with.
    pub submission: Option<Submission>,
    /// What was recorded.
    pub body: SideRecordBody,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SideRecordBody {
    /// The agent left the workflow on purpose.
    Divergence(DivergenceRecorded),
    /// The agent found out whether it can do something.
    Capability(CapabilityObserved),
    /// The engine explains a choice.
    Trace(DecisionTraceAppended),
}

/// The records of a run that are no outputs, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideRecords {
    by_node: IdMap<NodeId, Vec<SideRecord>>,
}

impl SideRecords {
    pub(super) fn add(&mut self, node: NodeId, record: SideRecord) {
        self.by_node.entry(node).or_default().push(record);
    }

    /// The records of a node, of all branches that begin there.
    pub fn at_node(&self, node: NodeId) -> &[SideRecord] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }
}
