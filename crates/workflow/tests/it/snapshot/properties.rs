//! What holds of every snapshot.

use piton_core::{BoundedText, Digest, WorkflowHash};
use piton_workflow::snapshot::{CompletedSteps, Running, derive_is_complete, derive_pending_step};
use piton_workflow::{
    ExecutionSnapshot, ExecutionState, Iteration, LoopPath, LoopPosition, PendingStep,
    StepInstanceKey,
};
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    "[a-c_-]{1,3}"
}

fn loops() -> impl Strategy<Value = LoopPath> {
    prop::collection::btree_map(name(), 0..12_u32, 0..4).prop_map(|positions| {
        let position = |(id, turn): (String, u32)| LoopPosition {
            loop_id: id.parse().unwrap(),
            iteration: Iteration::new(turn).unwrap(),
        };
        LoopPath::new(positions.into_iter().map(position).collect()).unwrap()
    })
}

fn key() -> impl Strategy<Value = StepInstanceKey> {
    (loops(), name()).prop_map(|(loops, step)| StepInstanceKey::new(&loops, &step.parse().unwrap()))
}

fn pending() -> impl Strategy<Value = PendingStep> {
    (name(), any::<String>(), any::<String>(), any::<bool>()).prop_map(
        |(step, title, prompt, require_confirmation)| PendingStep {
            step_id: step.parse().unwrap(),
            title: BoundedText::truncated(&title),
            prompt: BoundedText::truncated(&prompt),
            require_confirmation,
        },
    )
}

fn state() -> impl Strategy<Value = ExecutionState> {
    let keys = prop::collection::vec(key(), 0..8);
    let running = (keys, loops(), prop::option::of(pending())).prop_filter_map(
        "the pending step is done",
        |(keys, loops, pending)| {
            let completed = CompletedSteps::new(keys).unwrap();
            Running::new(completed, loops, pending).ok().map(ExecutionState::Running)
        },
    );
    prop_oneof![
        1 => Just(ExecutionState::Init),
        8 => running,
        1 => Just(ExecutionState::Complete),
    ]
}

fn snapshot() -> impl Strategy<Value = ExecutionSnapshot> {
    (any::<[u8; 32]>(), state()).prop_map(|(hash, state)| ExecutionSnapshot {
        workflow_hash: WorkflowHash::new(Digest::from_bytes(hash)),
        state,
    })
}

proptest! {
    #[test]
    fn a_snapshot_that_is_written_and_read_is_the_same(snapshot in snapshot()) {
        let bytes = snapshot.encode();
        let read = ExecutionSnapshot::decode(bytes.as_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&snapshot));
        prop_assert_eq!(read.unwrap().snapshot_ref(), snapshot.snapshot_ref());
    }

    #[test]
    fn different_snapshots_have_different_references(one in snapshot(), other in snapshot()) {
        prop_assert_eq!(one == other, one.snapshot_ref() == other.snapshot_ref());
    }

    #[test]
    fn bytes_that_can_be_read_are_those_that_are_written(
        snapshot in snapshot(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = snapshot.encode().into_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = ExecutionSnapshot::decode(&bytes) {
            prop_assert_eq!(read.encode().into_vec(), bytes);
        }
    }

    #[test]
    fn the_order_in_which_steps_were_completed_does_not_matter(
        keys in prop::collection::vec(key(), 0..8), seed in any::<u64>(),
    ) {
        let mut other = keys.clone();
        other.rotate_left(usize::try_from(seed % 8).unwrap() % keys.len().max(1));
        other.reverse();
        let set = CompletedSteps::new(keys).unwrap();
        prop_assert_eq!(&CompletedSteps::new(other).unwrap(), &set);
        prop_assert!(set.iter().map(StepInstanceKey::as_str).is_sorted());
    }

    #[test]
    fn a_complete_run_has_nothing_to_do(snapshot in snapshot()) {
        prop_assert!(!derive_is_complete(&snapshot) || derive_pending_step(&snapshot).is_none());
    }
}
