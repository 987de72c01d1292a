//! Whether a snapshot belongs to a workflow.

use std::collections::BTreeSet;

use piton_core::{Code, Digest, WorkflowHash};
use piton_workflow::snapshot::{Running, SnapshotMismatch};
use piton_workflow::{ExecutionSnapshot, ExecutionState, LoopId, StepId};

use super::samples::{completed, of, pending, snapshots, stack, workflow_hash};

fn verify(
    snapshot: &ExecutionSnapshot,
    steps: &[&str],
    loops: &[&str],
) -> Result<(), SnapshotMismatch> {
    let steps: BTreeSet<StepId> = steps.iter().map(|id| id.parse().unwrap()).collect();
    let loops: BTreeSet<LoopId> = loops.iter().map(|id| id.parse().unwrap()).collect();
    snapshot.verify_against(workflow_hash(), &steps, &loops)
}

// shows: WR-205
#[test]
fn a_snapshot_that_names_what_the_workflow_has_belongs_to_it() {
    let [init, idle, in_loops, complete] = snapshots();
    for snapshot in [init, idle, complete] {
        assert_eq!(verify(&snapshot, &[], &[]), Ok(()));
    }
    let (steps, loops) = (["collect", "report", "triage"], ["inner", "outer"]);
    assert_eq!(verify(&in_loops, &steps, &loops), Ok(()));
    for missing in ["collect", "triage"] {
        let others: Vec<&str> = steps.into_iter().filter(|step| *step != missing).collect();
        let refused = verify(&in_loops, &others, &loops).unwrap_err();
        assert_eq!(refused, SnapshotMismatch::Step { step_id: missing.parse().unwrap() });
        assert_eq!(refused.code(), Code::StoreInvariantViolation);
    }
    for missing in loops {
        let others: Vec<&str> = loops.into_iter().filter(|id| *id != missing).collect();
        let refused = verify(&in_loops, &steps, &others).unwrap_err();
        assert_eq!(refused, SnapshotMismatch::Loop { loop_id: missing.parse().unwrap() });
    }
}

// shows: WR-205
#[test]
fn each_place_that_names_a_step_or_loop_is_looked_at() {
    let running = |done: &[&str], loops: &[(&str, u32)], step: Option<&str>| {
        let running = Running::new(completed(done), stack(loops), step.map(pending)).unwrap();
        of(ExecutionState::Running(running))
    };
    for snapshot in [
        running(&["known", "strange"], &[], None),
        running(&["strange@0::known"], &[], None),
        running(&["known-loop@0/strange@3::known"], &[], None),
        running(&[], &[("known-loop", 0), ("strange", 0)], None),
        running(&[], &[], Some("strange")),
    ] {
        assert!(verify(&snapshot, &["known"], &["known-loop"]).is_err(), "{snapshot:?}");
        let all = ["known", "known-loop", "strange"];
        assert_eq!(verify(&snapshot, &all, &all), Ok(()));
    }
}

// shows: WR-205
#[test]
fn a_snapshot_of_another_workflow_is_refused_whatever_it_names() {
    let pinned = WorkflowHash::new(Digest::from_bytes([6; 32]));
    for snapshot in snapshots() {
        let refused = snapshot.verify_against(pinned, &BTreeSet::new(), &BTreeSet::new());
        let expected = SnapshotMismatch::Workflow { snapshot: workflow_hash(), pinned };
        assert_eq!(refused, Err(expected));
    }
}
