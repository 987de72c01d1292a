//! What holds of every log after every call.

use std::collections::HashMap;
use std::sync::Arc;

use piton_core::SnapshotRef;
use piton_store::port::BlobNamespace;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::event::{SessionEvent, validate};
use piton_workflow::projection::{NodeSteps, RunState, SessionState, TipState, status};
use piton_workflow::snapshot::derive_is_complete;
use piton_workflow::{ExecutionSnapshot, ExecutionState, NodeKind};

use super::naive::Naive;
use crate::engine::properties::steps_max;
use crate::session::rig::Rig;

/// The rules of one workflow's runs, and the snapshots that were read so far.
pub(super) struct Checks {
    workflow: CompiledWorkflow,
    snapshots: HashMap<SnapshotRef, Arc<ExecutionSnapshot>>,
}

impl Checks {
    pub(super) fn new(workflow: CompiledWorkflow) -> Self {
        Self { workflow, snapshots: HashMap::new() }
    }

    async fn snapshot(&mut self, rig: &Rig, at: SnapshotRef) -> Arc<ExecutionSnapshot> {
        if let Some(known) = self.snapshots.get(&at) {
            return Arc::clone(known);
        }
        let bytes =
            rig.blobs.get(BlobNamespace::Snapshots, at.digest()).await.expect("it can be read");
        let read = ExecutionSnapshot::decode(&bytes.expect("it is stored")).expect("it is whole");
        let read = Arc::new(read);
        self.snapshots.insert(at, Arc::clone(&read));
        read
    }

    /// Checks the log of a session that has one run.
    pub(super) async fn log(&mut self, rig: &Rig, events: &[SessionEvent]) {
        assert_eq!(validate(events), Ok(()));
        let naive = Naive::of(events);
        let most = steps_max(&self.workflow, &self.workflow.sequence);
        for node in &naive.nodes {
            assert_eq!(node.left, node.edges, "an attempt that went on has its edge");
            assert_eq!(node.left, naive.steps_from(node.id).count(), "and its node");
            assert!(node.left == 0 || node.kind != NodeKind::Checkpoint);
            let snapshot = self.snapshot(rig, node.snapshot).await;
            self.within_limits(&snapshot);
            assert!(naive.ancestry(node.id).count() <= most + 2, "no way is longer than its loops");
        }
        let projected = SessionState::of(events);
        let run = &projected.runs()[0];
        let tip = naive.tip();
        assert_eq!(run.graph.preferred_tip().map(|tip| tip.id), Some(tip.id));
        let is_complete = derive_is_complete(&*self.snapshot(rig, tip.snapshot).await);
        assert_eq!(status(run, is_complete), naive.status(is_complete));
        self.steps(rig, run).await;
    }

    /// Checks that events say about the step of a node what its snapshot says.
    async fn steps(&mut self, rig: &Rig, run: &RunState) {
        let steps = NodeSteps::of(run, &self.workflow);
        for node in run.graph.nodes() {
            let tip = TipState::from(&*self.snapshot(rig, node.snapshot).await);
            let pending = tip.pending.as_ref();
            let expected = pending.map(|(step, title)| (step.as_str(), title.as_str(), tip.turn));
            let named = steps.get(node.id);
            let named = named.map(|step| (step.step_id.as_str(), step.title.as_str(), step.turn));
            assert_eq!(named, expected);
            let is_unread = steps.unread().contains(&(node.id, node.snapshot));
            assert_eq!(is_unread, pending.is_none(), "only the end of a run is looked up");
        }
    }

    fn within_limits(&self, snapshot: &ExecutionSnapshot) {
        assert_eq!(snapshot.workflow_hash, self.workflow.workflow_hash());
        let ExecutionState::Running(running) = &snapshot.state else { return };
        for position in running.loop_stack().positions() {
            let of = self.workflow.loops.iter().find(|of| of.loop_id == position.loop_id);
            assert!(position.iteration.get() < of.expect("it is a loop of it").max_iterations);
        }
    }
}
