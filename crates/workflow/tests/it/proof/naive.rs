//! What the events of a run add up to, worked out anew each time by the words of the rules.

use std::collections::HashMap;

use piton_core::{GapId, NodeId, SnapshotRef};
use piton_workflow::event::{AdvanceOutcome, EventBody, Resolution, SessionEvent};
use piton_workflow::{Autonomy, EdgeKind, GapSeverity, NodeKind, ReasonCategory, RunStatus};

/// The run of a session that has one.
#[derive(Default)]
pub(crate) struct Naive {
    /// Its nodes, in the order of their creation.
    pub(crate) nodes: Vec<Node>,
    gaps: Vec<(NodeId, GapId, bool)>,
    resolved: Vec<GapId>,
    autonomy: HashMap<NodeId, Autonomy>,
}

pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(super) parent: Option<NodeId>,
    pub(super) kind: NodeKind,
    pub(super) snapshot: SnapshotRef,
    /// How many attempts left it.
    pub(super) left: usize,
    /// How many edges of attempts leave it.
    pub(super) edges: usize,
    touched: u64,
}

impl Naive {
    pub(crate) fn of(events: &[SessionEvent]) -> Self {
        let mut run = Self::default();
        for event in events {
            run.take(event.index().get(), event.body());
        }
        run
    }

    fn take(&mut self, index: u64, body: &EventBody) {
        match body {
            EventBody::NodeCreated(at, node) => self.nodes.push(Node {
                id: at.node,
                parent: node.parent_node_id,
                kind: node.node_kind,
                snapshot: node.snapshot_ref,
                left: 0,
                edges: 0,
                touched: index,
            }),
            EventBody::EdgeCreated(_, edge) => {
                self.node(edge.to()).touched = index;
                let from = self.node(edge.from());
                from.touched = index;
                from.edges += usize::from(edge.kind() == EdgeKind::AckedStep);
            }
            EventBody::AdvanceRecorded(at, advance) => {
                let left = matches!(advance.outcome, AdvanceOutcome::Advanced { .. });
                self.node(at.node).left += usize::from(left);
            }
            EventBody::GapRecorded(at, gap) => {
                self.node(at.node).touched = index;
                match gap.resolution {
                    Resolution::Resolves { resolves_gap_id } => self.resolved.push(resolves_gap_id),
                    Resolution::Unresolved {} if gap.severity == GapSeverity::Critical => {
                        let blocks = gap.reason.category() != ReasonCategory::Unexpected;
                        self.gaps.push((at.node, gap.gap_id, blocks));
                    }
                    Resolution::Unresolved {} => {}
                }
            }
            EventBody::PreferencesChanged(at, changed) => {
                self.node(at.node).touched = index;
                self.autonomy.insert(at.node, changed.effective().autonomy);
            }
            EventBody::NodeOutputAppended(at, _)
            | EventBody::CapabilityObserved(at, _)
            | EventBody::DivergenceRecorded(at, _) => self.node(at.node).touched = index,
            EventBody::DecisionTraceAppended(..)
            | EventBody::ContextSet(..)
            | EventBody::ObservationRecorded { .. }
            | EventBody::SessionCreated
            | EventBody::RunStarted(..) => {}
        }
    }

    fn node(&mut self, id: NodeId) -> &mut Node {
        self.nodes.iter_mut().find(|node| node.id == id).expect("it was created")
    }

    /// The steps that came from a node.
    pub(super) fn steps_from(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        let came = move |node: &&Node| node.parent == Some(id) && node.kind != NodeKind::Checkpoint;
        self.nodes.iter().filter(came)
    }

    /// A node and those that it came from.
    pub(super) fn ancestry(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        let find = |id: NodeId| self.nodes.iter().find(move |node| node.id == id);
        std::iter::successors(find(id), move |node| node.parent.and_then(find))
    }

    /// The tip with the newest event on its way; of several the one that was made last.
    pub(crate) fn tip(&self) -> &Node {
        let is_tip = |node: &&Node| {
            node.kind != NodeKind::Checkpoint && self.steps_from(node.id).next().is_none()
        };
        let activity = |node: &&Node| self.ancestry(node.id).map(|node| node.touched).max();
        let tips = self.nodes.iter().filter(is_tip);
        tips.max_by_key(activity).expect("a run has a root")
    }

    /// The status of the run. `is_complete` tells what the snapshot of its tip says.
    pub(super) fn status(&self, is_complete: bool) -> RunStatus {
        let open = || self.gaps.iter().filter(|(_, id, _)| !self.resolved.contains(id));
        if is_complete {
            let gaps = open().next().is_some();
            return if gaps { RunStatus::CompleteWithGaps } else { RunStatus::Complete };
        }
        let tip = self.tip().id;
        let autonomy = self.ancestry(tip).find_map(|node| self.autonomy.get(&node.id));
        let stops = autonomy != Some(&Autonomy::FullAutoNeverStop);
        if stops && open().any(|(node, _, blocks)| *node == tip && *blocks) {
            RunStatus::Blocked
        } else {
            RunStatus::InProgress
        }
    }
}
