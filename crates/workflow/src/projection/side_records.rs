//! Records at a node beside its outputs: divergences from the workflow, observed capabilities, and the engine's
//! reasons for its choices. Nothing is decided by them; people and agents read them.

use piton_core::{EventIndex, NodeId};

use super::advances::Submission;
use crate::{
    event::{CapabilityObserved, DecisionTraceAppended, DivergenceRecorded},
    id_map::IdMap,
};

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
