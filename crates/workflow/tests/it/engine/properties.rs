//! Whatever the workflow and whatever the decisions, a run keeps within its limits and comes to its end.

use std::collections::{BTreeMap, HashSet};

use piton_workflow::compile::{CompiledWorkflow, SequenceEntry};
use piton_workflow::event::TraceRef;
use piton_workflow::snapshot::CompletedSteps;
use piton_workflow::{
    ExecutionSnapshot, ExecutionState, LoopId, LoopPath, StepInstanceKey, TraceEntryKind,
};
use proptest::prelude::*;
use serde_json::Value;

use super::samples::{Run, control, decision, looped, running, step, workflow};

/// The form of a workflow, without names.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Step,
    Loop { max_iterations: u32, decides_at: usize, body: Vec<Form> },
}

pub(crate) fn forms() -> impl Strategy<Value = Vec<Form>> {
    let tree = Just(Form::Step).prop_recursive(3, 12, 3, |inner| {
        (1_u32..=3, 0_usize..4, prop::collection::vec(inner, 0..3)).prop_map(
            |(max_iterations, decides_at, body)| Form::Loop { max_iterations, decides_at, body },
        )
    });
    prop::collection::vec(tree, 1..4)
}

/// A compiled workflow with names of its own for everything.
pub(crate) fn workflows() -> impl Strategy<Value = CompiledWorkflow> {
    forms().prop_map(|forms| workflow(&named(&forms, &mut 0)))
}

pub(crate) fn named(forms: &[Form], count: &mut u32) -> Vec<Value> {
    let mut name = |form: &Form| {
        *count += 1;
        let number = *count;
        match form {
            Form::Step => step(&format!("s{number}")),
            Form::Loop { max_iterations, decides_at, body } => {
                let mut body = named(body, count);
                body.insert(*decides_at.min(&body.len()), decision(&format!("d{number}")));
                looped(&format!("l{number}"), *max_iterations, &body)
            }
        }
    };
    forms.iter().map(&mut name).collect()
}

/// What an agent may submit for the step `key`.
pub(crate) fn artifacts(key: &StepInstanceKey, choice: u8) -> Vec<Value> {
    let (path, _) = key.parts();
    let loop_id = path.positions().last().map_or("none", |position| position.loop_id.as_str());
    match choice {
        0 => vec![control(loop_id, "stop")],
        1 => vec![],
        2 => vec![control("another", "continue")],
        _ => vec![control(loop_id, "continue")],
    }
}

/// How many steps a run has at most.
pub(crate) fn steps_max(workflow: &CompiledWorkflow, entries: &[SequenceEntry]) -> usize {
    let steps = |entry: &SequenceEntry| match entry {
        SequenceEntry::Step { .. } => 1,
        SequenceEntry::Loop { loop_id } => {
            let of = workflow.loops.iter().find(|of| of.loop_id == *loop_id).expect("it exists");
            of.max_iterations as usize * steps_max(workflow, &of.body)
        }
    };
    entries.iter().map(steps).sum()
}

/// The loops around every step, outermost first.
fn places(workflow: &CompiledWorkflow) -> BTreeMap<String, Vec<LoopId>> {
    fn walk(
        workflow: &CompiledWorkflow,
        entries: &[SequenceEntry],
        around: &[LoopId],
        found: &mut BTreeMap<String, Vec<LoopId>>,
    ) {
        for entry in entries {
            match entry {
                SequenceEntry::Step { step_id } => {
                    found.insert(step_id.to_string(), around.to_vec());
                }
                SequenceEntry::Loop { loop_id } => {
                    let of =
                        workflow.loops.iter().find(|of| of.loop_id == *loop_id).expect("it exists");
                    let around = [around, std::slice::from_ref(loop_id)].concat();
                    walk(workflow, &of.body, &around, found);
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(workflow, &workflow.sequence, &[], &mut found);
    found
}

/// The snapshot of a state is readable, so its pending step stands where its loop stack says.
fn check_snapshot(workflow: &CompiledWorkflow, state: &ExecutionState) {
    let snapshot =
        ExecutionSnapshot { workflow_hash: workflow.workflow_hash(), state: state.clone() };
    assert_eq!(ExecutionSnapshot::decode(snapshot.encode().as_bytes()), Ok(snapshot));
}

/// How often each loop was entered, evaluated and left, as traces tell it.
#[derive(Default)]
struct Told {
    entered: BTreeMap<LoopId, usize>,
    exited: BTreeMap<LoopId, usize>,
    evaluated: usize,
}

impl Told {
    fn take(&mut self, run: &Run<'_>) {
        let mut evaluated = None;
        for entry in &run.now.traces {
            let refs = entry.refs.as_ref().expect("every entry has refs").as_slice();
            let loop_id = refs.iter().find_map(|found| match found {
                TraceRef::LoopId { loop_id } => Some(loop_id.clone()),
                _ => None,
            });
            match entry.kind {
                TraceEntryKind::EnteredLoop => {
                    *self.entered.entry(loop_id.expect("it is about a loop")).or_default() += 1;
                }
                TraceEntryKind::EvaluatedCondition => {
                    self.evaluated += 1;
                    evaluated = loop_id;
                }
                TraceEntryKind::ExitedLoop => {
                    assert_eq!(loop_id, evaluated, "the condition was looked at before");
                    let causes = ["its condition does not hold", "its limit is reached"];
                    let told =
                        causes.iter().filter(|cause| entry.summary.as_str().contains(*cause));
                    assert_eq!(told.count(), 1, "{}", entry.summary);
                    *self.exited.entry(loop_id.expect("it is about a loop")).or_default() += 1;
                }
                TraceEntryKind::SelectedNextStep => {
                    assert!(std::ptr::eq(entry, run.now.traces.last().expect("it is one")));
                }
                TraceEntryKind::DetectedNonTipAdvance => panic!("the flow knows no tips"),
            }
        }
    }
}

proptest! {
    // shows: WR-347, WR-348, WR-349, WR-354
    #[test]
    fn every_run_keeps_its_limits_and_ends(
        workflow in workflows(),
        choices in prop::collection::vec(0_u8..12, 1..40),
    ) {
        let places = places(&workflow);
        let limit = |id: &LoopId| {
            workflow.loops.iter().find(|of| of.loop_id == *id).unwrap().max_iterations
        };
        let (mut run, mut told) = (Run::new(&workflow), Told::default());
        told.take(&run);
        let (mut choices, mut turns, mut left) = (choices.iter().cycle(), HashSet::new(), 0);
        while run.at().is_some() {
            check_snapshot(&workflow, &run.now.next);
            let before = running(&run.now.next).clone();
            let key = before.pending_key().unwrap();
            let (path, step) = key.parts();
            let around: Vec<_> = path.positions().iter().map(|at| at.loop_id.clone()).collect();
            prop_assert_eq!(&around, &places[step.as_str()]);
            for (depth, position) in path.positions().iter().enumerate() {
                prop_assert!(position.iteration.get() < limit(&position.loop_id));
                turns.insert(path.positions()[..=depth].to_vec());
            }
            run.leave(&artifacts(&key, *choices.next().unwrap()));
            told.take(&run);
            left += 1;
            prop_assert!(left <= steps_max(&workflow, &workflow.sequence));
            if let ExecutionState::Running(after) = &run.now.next {
                let all = before.completed().clone().with(key).unwrap();
                let here = after.loop_stack().positions();
                let turned = path.positions().iter().zip(here).position(|(was, is)| was != is);
                let left_turn = turned.map(|depth| path.positions()[..=depth].to_vec());
                let gone = |key: &&StepInstanceKey| left_turn.as_ref().is_some_and(|turn| {
                    here[turn.len() - 1].loop_id == turn[turn.len() - 1].loop_id
                        && key.lies_within(&LoopPath::new(turn.clone()).unwrap())
                });
                let kept = all.iter().filter(|key| !gone(key)).cloned();
                prop_assert_eq!(after.completed(), &CompletedSteps::new(kept).unwrap());
            }
        }
        prop_assert_eq!(&run.now.next, &ExecutionState::Complete);
        prop_assert_eq!(&told.entered, &told.exited, "every loop that began ended");
        prop_assert_eq!(told.evaluated, turns.len(), "each turn was followed by one question");
    }
}
