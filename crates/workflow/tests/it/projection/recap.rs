//! What an agent reads when it takes up a run.

use std::collections::HashMap;

use piton_core::{BoundedText, Digest, NodeId, OutputId, TraceId, budget::TRUNCATION_MARKER};
use piton_workflow::{
    EventBody, TraceEntryKind,
    bounds::{
        ARTIFACT_BYTES_MAX, ARTIFACT_SHOWN_BYTES_MAX, BOOKMARKS_BYTES_MAX, BOOKMARKS_TOLD_MAX,
        FUNCTIONS_BYTES_MAX, NOTES_BYTES_MAX, PRODUCED_ARTIFACTS_MAX, PRODUCED_BYTES_MAX,
        PRODUCED_DIGESTS_MAX, RECAP_BYTES_MAX, RECAP_STEPS_MAX, SIDE_RECORDS_MAX,
        SUMMARY_BYTES_MAX, TRACE_BYTES_MAX, TRACE_ENTRIES_MAX, TRACES_TOLD_MAX,
    },
    compile::CompiledWorkflow,
    event::{DecisionTraceAppended, NodeOutputAppended, NodeScope, OutputPayload, TraceEntry},
    projection::{ArtifactText, Produced, RecapDraft},
    snapshot::PendingStep,
};
use proptest::prelude::*;
use serde_json::json;

use super::log::Log;
use crate::source::compile_value;

/// Steps that refer to functions: of their own, of the workflow, and two that may take much room.
fn workflow(long_bytes: usize) -> CompiledWorkflow {
    let function = |name: &str, definition: &str| json!({"name": name, "definition": definition});
    let step = |id: &str, references: &[&str]| {
        json!({
            "id": id, "title": format!("Title of {id}"), "prompt": "x",
            "functionDefinitions": [function("own", &format!("of {id}"))],
            "functionReferences": references,
        })
    };
    let long = "x".repeat(long_bytes);
    compile_value(&json!({
        "id": "a.b",
        "functionDefinitions": [function("ask", "a person"), function("long", &long), function("longer", &long), function("zip", "it up")],
        "steps": [
            step("plan", &["own()", "ask()"]),
            step("build", &["own()", "zip()"]),
            step("check", &["own()", "ask()", "zip()", "long()", "longer()"]),
        ],
    }))
    .expect("it compiles")
}

/// A run whose nodes stand for steps.
struct Story {
    log: Log,
    workflow: CompiledWorkflow,
    steps: HashMap<NodeId, PendingStep>,
}

impl Story {
    fn new(long_bytes: usize) -> (Self, NodeScope) {
        let mut log = Log::new();
        let root = log.run();
        let (workflow, steps) = (workflow(long_bytes), HashMap::new());
        let mut story = Self { log, workflow, steps };
        story.is(root, "plan");
        (story, root)
    }

    fn is(&mut self, at: NodeScope, step: &str) {
        let step_id = step.parse().unwrap_or_else(|error| panic!("{error}"));
        let title = BoundedText::truncated(&format!("Title of {step}"));
        let prompt = BoundedText::truncated("");
        let step = PendingStep { step_id, title, prompt, require_confirmation: false };
        self.steps.insert(at.node, step);
    }

    /// Does the step at `at` with `notes`; the new node stands for `step`.
    fn advance(&mut self, at: NodeScope, notes: &str, step: &str) -> NodeScope {
        let to = self.log.step(at);
        if !notes.is_empty() {
            self.log.note(at, notes, None);
        }
        self.is(to, step);
        to
    }

    fn text(&self, at: NodeScope) -> String {
        let recap = RecapDraft::select(&self.log.state.runs()[0], at.node);
        let pending = self.steps.get(&at.node);
        recap.render(&self.workflow, pending, |node| self.steps.get(&node))
    }
}

// shows: WR-305
// shows in part: WR-304 (the part that steps' notes are stored apart)
#[test]
fn the_way_to_a_tip_is_told_from_old_to_new() {
    let (mut story, root) = Story::new(10);
    assert_eq!(story.text(root), "", "nothing was done");
    let build = story.advance(root, "The plan is short.\n", "build");
    let check = story.advance(build, "", "check");
    let done = story.advance(check, "All tests pass.", "check");
    assert_eq!(
        story.text(done),
        "## What was done so far\n\n\
         ### Title of plan\nThe plan is short.\n\n\
         ### Title of check\nAll tests pass."
    );
    assert_eq!(story.text(done), story.text(done));
    story.log.note(done, "Half of it.", None);
    assert!(
        story.text(done).ends_with("### Title of check\nHalf of it."),
        "its own, while it is a tip"
    );
    story.steps.clear();
    assert!(story.text(done).contains("\n\n### A step\nAll tests pass."), "without a title");
}

// shows: WR-432 (with what_does_not_fit_is_cut_at_its_old_end_and_counted, a_recap_stays_within_its_budgets_and_keeps_the_newest_notes, a_summary_is_bounded_however_much_a_run_was_told, a_snippet_is_bounded, definitions_over_budget_are_cut_and_counted)
#[test]
fn what_was_produced_stays_within_its_budgets_however_large_its_parts_are() {
    let (mut story, mut at) = Story::new(10);
    for number in 0..=u8::try_from(PRODUCED_ARTIFACTS_MAX + PRODUCED_DIGESTS_MAX).unwrap() {
        let payload = OutputPayload::ArtifactRef {
            sha256: Digest::from_bytes([number; 32]),
            content_type: "application/json".parse().unwrap(),
            byte_length: u32::try_from(ARTIFACT_BYTES_MAX).unwrap(),
        };
        let output_id = OutputId::from_bytes([number; 16]);
        let output = NodeOutputAppended { output_id, supersedes_output_id: None, payload };
        story.log.push(EventBody::NodeOutputAppended(at, output));
        let summary = "x".repeat(SUMMARY_BYTES_MAX);
        let entry = TraceEntry::new(TraceEntryKind::EvaluatedCondition, &summary, vec![]).unwrap();
        let trace = TraceId::from_bytes([number; 16]);
        let trace = DecisionTraceAppended::new(trace, vec![entry; TRACE_ENTRIES_MAX]).unwrap();
        story.log.push(EventBody::DecisionTraceAppended(at, trace));
        story.log.diverge(at);
        at = story.advance(at, "", "build");
    }
    let step_at = |node: NodeId| story.steps.get(&node);
    let produced = Produced::select(&story.log.state.runs()[0], at.node);
    let kind = Some(format!("long\n# {}", "y".repeat(100_000)));
    for artifact in [
        ArtifactText::Large(kind.clone()),
        ArtifactText::Whole(kind, "z".repeat(ARTIFACT_SHOWN_BYTES_MAX)),
    ] {
        let pieces = produced.pieces(step_at, |_| artifact.clone());
        let text: String = pieces.into_iter().map(|piece| piece.text).collect();
        let artifacts = PRODUCED_ARTIFACTS_MAX + PRODUCED_DIGESTS_MAX;
        let lines = artifacts + SIDE_RECORDS_MAX + TRACES_TOLD_MAX * TRACE_ENTRIES_MAX;
        let most = PRODUCED_BYTES_MAX + TRACES_TOLD_MAX * TRACE_BYTES_MAX + lines * 400;
        assert!(text.len() <= most, "{} bytes, at most {most}", text.len());
        assert_eq!(text.matches("\n- long of Title of ").count(), PRODUCED_ARTIFACTS_MAX);
        let older = |number: u8| format!("\n  {}\n", Digest::from_bytes([number; 32]));
        let count = PRODUCED_DIGESTS_MAX + 1;
        let head = format!("\n- {count} older ones. Read each with get_artifact by its digest:");
        let newest = u8::try_from(PRODUCED_DIGESTS_MAX).unwrap();
        assert!(text.contains(&format!("{head}{}", older(newest))), "{text}");
        assert!(
            text.contains(&format!("{}  and 1 more, which a person finds", older(1))),
            "{text}"
        );
        assert!(text.contains(TRUNCATION_MARKER.trim_start()), "{text}");
    }
}

// shows in part: WR-305, WR-432 (bookmarks)
#[test]
fn notes_of_bookmarks_on_earlier_steps_stay_within_their_budget_and_the_newest_are_whole() {
    let (mut story, mut at) = Story::new(10);
    let total = BOOKMARKS_TOLD_MAX + 3;
    for number in 1..=total {
        let bookmark = story.log.checkpoint(at);
        story.is(bookmark, "plan");
        story.log.note(bookmark, &format!("Mark {number}.\n{}", "x".repeat(1_000)), None);
        at = story.advance(at, "", "build");
    }
    let produced = Produced::select(&story.log.state.runs()[0], at.node);
    let pieces = produced.pieces(|node| story.steps.get(&node), |_| ArtifactText::Large(None));
    let text: String = pieces.into_iter().map(|piece| piece.text).collect();
    let whole = BOOKMARKS_BYTES_MAX / 1_010;
    assert_eq!(text.matches("\n  xxx").count(), whole, "{text}");
    assert!(text.contains(&format!("first\n- Title of plan: Mark {total}.\n  xxx")), "{text}");
    let cut = format!("- Title of plan: Mark {}. (10", total - whole);
    assert!(text.contains(&cut) && text.contains("bytes, which a person finds"), "{text}");
    assert!(text.ends_with("\n- 3 older ones are left out.\n"), "{text}");
    assert!(text.len() <= BOOKMARKS_BYTES_MAX + BOOKMARKS_TOLD_MAX * 400, "{}", text.len());
    // The longest notes there are.
    let bookmark = story.log.checkpoint(at);
    story.log.note(bookmark, &"z".repeat(NOTES_BYTES_MAX), None);
    let at = story.advance(at, "", "build");
    let produced = Produced::select(&story.log.state.runs()[0], at.node);
    let pieces = produced.pieces(|node| story.steps.get(&node), |_| ArtifactText::Large(None));
    let text: String = pieces.into_iter().map(|piece| piece.text).collect();
    assert!(text.contains(&"z".repeat(NOTES_BYTES_MAX)), "{}", &text[..200]);
}

// shows in part: WR-305, WR-432 (recaps)
#[test]
fn what_does_not_fit_is_cut_at_its_old_end_and_counted() {
    let (mut story, mut at) = Story::new(10);
    for number in 1..=100 {
        at = story.advance(at, &format!("Note {number}. {}", "y".repeat(1_000)), "build");
    }
    let text = story.text(at);
    assert!(
        text.len() <= RECAP_BYTES_MAX && text.len() > RECAP_BYTES_MAX - 1_200,
        "{}",
        text.len()
    );
    let cut = format!("so far{TRUNCATION_MARKER}\nThe first 93 steps are left out.\n\n### ");
    assert!(text.contains(&cut), "{}", &text[..200]);
    assert!(!text.contains("Note 93.") && text.contains("Note 94."));
    assert!(text.ends_with("yyy") && text.contains("Note 100."));
    // The longest notes there are.
    let at = story.advance(at, &"z".repeat(NOTES_BYTES_MAX), "build");
    let text = story.text(at);
    assert!(text.ends_with(&format!("\n{}", "z".repeat(NOTES_BYTES_MAX))));
    let short = RecapDraft::select(&story.log.state.runs()[0], at.node);
    assert!(short.nodes().count() <= 3 * RECAP_STEPS_MAX, "few snapshots are read");
}

fn forked() -> (Story, NodeScope) {
    let (mut story, root) = Story::new(10);
    let build = story.advance(root, "Planned.", "build");
    let first = story.advance(build, "Built in a hurry.", "check");
    story.advance(first, "It broke.", "check");
    let second = story.advance(build, "Built again.", "check");
    story.advance(second, "It works.", "check");
    (story, build)
}

// shows: WR-392, WR-394
#[test]
fn a_node_that_was_left_is_told_what_came_after_it() {
    let (story, build) = forked();
    assert_eq!(
        story.text(build),
        "## What was done so far\n\n\
         ### Title of plan\nPlanned.\n\n\
         ## What was done from this step on, on the branch that the run follows\n\n\
         ### Title of build\nBuilt again.\n\n\
         ### Title of check\nIt works.\n\n\
         ## How other branches from this step ended\n\n\
         ### Title of check\nIt broke.\n\n\
         ---\nFUNCTION DEFINITIONS:\n\
         - own(): of check\n- ask(): a person\n- long(): xxxxxxxxxx\n- longer(): xxxxxxxxxx",
        "zip() and own() of build are in the prompt of the pending step"
    );
}

// shows: WR-393, WR-395
#[test]
fn definitions_of_what_came_after_go_before_those_of_other_branches() {
    let (mut story, root) = Story::new(4_050);
    story.is(root, "build");
    let other = story.advance(root, "a", "check");
    story.advance(other, "Tried it.", "plan");
    let followed = story.advance(root, "b", "plan");
    story.advance(followed, "Planned.", "plan");
    let text = story.text(root);
    let (_, functions) = text.split_once("FUNCTION DEFINITIONS:").unwrap();
    let place = |what: &str| functions.find(what).unwrap_or(usize::MAX);
    assert!(place("- own(): of plan") < place("- ask(): a person"), "{functions}");
    assert!(
        place("- ask(): a person") < place("- own(): of check"),
        "the other branch comes later"
    );
    assert!(place("- own(): of check") < place("- long(): xxx"));
    assert!(place("- long(): xxx") < place("- longer(): xxx"));
    assert!(functions.ends_with("xxx\n\n[TRUNCATED]\nOmitted 1 function definition."));
    let own = "\n\n---\nFUNCTION DEFINITIONS:\n- own(): of build\n- zip(): it up".len();
    let taken = "\n\n---\nFUNCTION DEFINITIONS:".len() + functions.len();
    assert!(own + taken <= FUNCTIONS_BYTES_MAX, "the prompt's own definitions count");
}

proptest! {
    // shows in part: WR-305, WR-432 (recaps)
    #[test]
    fn a_recap_stays_within_its_budgets_and_keeps_the_newest_notes(
        choices in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..NOTES_BYTES_MAX, prop::sample::select(vec!["x", "ä", "# "])),
            1..40,
        ),
    ) {
        let (mut story, root) = Story::new(3_000);
        let mut nodes = vec![root];
        for (place, length, text) in choices {
            let at = *place.get(&nodes);
            let notes = text.repeat(length / text.len());
            nodes.push(story.advance(at, &notes, "check"));
        }
        let run = &story.log.state.runs()[0];
        for &at in &nodes {
            let text = story.text(at);
            let recap = text.split("\n\n---\nFUNCTION").next().unwrap_or_default();
            prop_assert!(recap.len() <= RECAP_BYTES_MAX);
            prop_assert!(text.len() <= RECAP_BYTES_MAX + FUNCTIONS_BYTES_MAX);
            let mut way = run.way_up(at.node).skip(1);
            let newest = way.find_map(|(node, next)| run.notes_toward(node, next)?.notes());
            if let Some(notes) = newest {
                prop_assert!(recap.contains(notes.trim()));
            }
        }
    }
}
