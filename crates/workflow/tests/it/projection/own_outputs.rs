//! A branch shows what was submitted on it, whatever else happened at the steps that it shares with others.

use std::collections::HashMap;

use piton_core::NodeId;
use piton_workflow::{
    event::NodeScope,
    projection::{RecapDraft, RunState},
};
use proptest::prelude::*;
use serde_json::json;

use super::log::Log;
use crate::source::compile_value;

/// What was submitted, as a person would keep it on paper: for each step the one before it and the notes that led from
/// there, and for each step the notes of its newest attempt if that was blocked.
#[derive(Default)]
struct Paper {
    came_from: HashMap<NodeId, (NodeId, Option<String>)>,
    newest: HashMap<NodeId, Option<String>>,
}

impl Paper {
    /// The notes on the way to a step, the newest first, with what was submitted last at that step itself.
    fn way(&self, node: NodeId) -> Vec<String> {
        let mut notes: Vec<_> = self.newest.get(&node).cloned().flatten().into_iter().collect();
        notes.extend(self.before(node));
        notes
    }

    /// The notes on the way to a step, the newest first.
    fn before(&self, mut node: NodeId) -> Vec<String> {
        let mut notes = Vec::new();
        while let Some((before, submitted)) = self.came_from.get(&node) {
            notes.extend(submitted.clone());
            node = *before;
        }
        notes
    }
}

fn told(run: &RunState, node: NodeId) -> Vec<String> {
    let notes = run.way_up(node).filter_map(|(node, next)| run.notes_toward(node, next)?.notes());
    notes.map(str::to_owned).collect()
}

fn check(
    log: &Log,
    paper: &Paper,
    steps: &[NodeScope],
    all: &[String],
) -> Result<(), TestCaseError> {
    let run = &log.state.runs()[0];
    let file =
        json!({ "id": "a.b", "steps": [{ "id": "one", "title": "One", "prompt": "Do it." }] });
    let workflow = compile_value(&file).expect("it compiles");
    for at in steps {
        let expected = paper.way(at.node);
        prop_assert_eq!(&told(run, at.node), &expected);
        let recap = RecapDraft::select(run, at.node).render(&workflow, None, |_| None);
        let so_far = recap.split("\n\n## ").find(|part| part.contains("What was done so far"));
        let so_far = so_far.unwrap_or_default();
        let shown = |notes: &&String| so_far.lines().any(|line| line == notes.as_str());
        let shown: Vec<_> = all.iter().filter(shown).cloned().collect();
        // What was submitted at a step that the run left is listed with what came after it.
        let is_tip = run.graph.node(at.node).unwrap().is_tip();
        let mut own = if is_tip { expected } else { paper.before(at.node) };
        own.reverse();
        prop_assert_eq!(shown, own, "{}", recap);
    }
    Ok(())
}

proptest! {
    // shows: WR-305, WR-421
    #[test]
    fn every_step_is_told_by_the_outputs_of_its_own_branch(
        choices in prop::collection::vec(
            (0..6_u8, any::<prop::sample::Index>(), any::<bool>(), any::<bool>()),
            1..20,
        ),
    ) {
        let mut log = Log::new();
        let mut paper = Paper::default();
        let mut steps = vec![log.run()];
        let mut all = Vec::new();
        for (number, (what, place, is_at_tip, has_notes)) in choices.into_iter().enumerate() {
            // Half of the time at the newest step, else at any: that is a fork if the run left it.
            let at = if is_at_tip { *steps.last().unwrap() } else { *place.get(&steps) };
            let notes = has_notes.then(|| format!("notes {number}"));
            match what {
                0 => { log.checkpoint(at); }
                1 | 2 => {
                    log.block(at);
                    paper.newest.insert(at.node, notes.clone());
                }
                _ => {
                    let to = log.step(at);
                    paper.came_from.insert(to.node, (at.node, notes.clone()));
                    paper.newest.insert(at.node, notes.clone());
                    steps.push(to);
                }
            }
            if let (1.., Some(notes)) = (what, notes) {
                // Old logs say of every output that it corrects the one before it, also of a fork's.
                let before = log.state.runs()[0].outputs.at_node(at.node).last().map(|output| output.id);
                log.note(at, &notes, before);
                all.push(notes);
            }
            check(&log, &paper, &steps, &all)?;
        }
    }
}
