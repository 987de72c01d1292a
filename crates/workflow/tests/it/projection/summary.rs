//! A run in a few lines.

use piton_core::{BoundedText, budget::TRUNCATION_MARKER};
use piton_workflow::{
    GapSeverity, Reason, RunStatus, UserOnlyDependency,
    bounds::{NOTES_BYTES_MAX, RUN_GOAL_BYTES_MAX, STEP_TITLES_BYTES_MAX},
    compile::CompiledWorkflow,
    event::Resolution,
    label::label,
    projection::{RunSummary, StepPlace, TipState},
};
use serde_json::json;

use super::log::Log;
use crate::engine::samples::{decision, looped, step, workflow};

const END: TipState = TipState { is_complete: true, pending: None, turn: None };

fn pending(step: &str) -> TipState {
    let step_id = step.parse().unwrap_or_else(|error| panic!("{error}"));
    let title = BoundedText::truncated(&format!("Title of {step}"));
    TipState { is_complete: false, pending: Some((step_id, title)), turn: None }
}

fn sample() -> CompiledWorkflow {
    workflow(&[
        step("plan"),
        looped("rounds", 3, &[step("build"), decision("decide")]),
        step("close"),
    ])
}

#[track_caller]
fn summary(log: &Log, tip: &TipState) -> RunSummary {
    let run = log.state.runs().last().expect("a run began");
    RunSummary::of(&log.state, run, tip, &sample()).expect("it has a node")
}

#[test]
fn a_step_is_counted_by_its_place_in_the_workflow_however_often_its_loop_turns() {
    for (id, number) in [("plan", 1), ("build", 2), ("decide", 3), ("build", 2), ("close", 4)] {
        let place = StepPlace::of(&pending(id), &sample()).unwrap();
        assert_eq!((place.step_id.as_str(), place.number, place.of), (id, number, 4));
        assert_eq!(place.title.as_str(), format!("Title of {id}"));
    }
    assert_eq!(StepPlace::of(&END, &sample()), None);
    assert_eq!(StepPlace::of(&pending("elsewhere"), &sample()), None);
}

// shows: WR-111
#[test]
fn the_title_is_the_goal_else_the_first_notes_else_the_workflow() {
    let mut log = Log::new();
    let root = log.run();
    let title = |log: &Log| summary(log, &END).title.as_str().to_owned();
    assert_eq!(title(&log), "project.triage");
    let next = log.step(root);
    log.note(next, "later", None);
    assert_eq!(title(&log), "later");
    log.note(root, "\n## Found the *bug*  \nmore", None);
    assert_eq!(title(&log), "Found the *bug*");
    log.told(root.run, None, json!({ "goal": 7 }));
    assert_eq!(title(&log), "Found the *bug*");
    log.told(root.run, None, json!({ "goal": "Fix\nit" }));
    assert_eq!(title(&log), "Fix");
    log.told(root.run, None, json!({ "goal": "ä".repeat(100) }));
    assert_eq!(title(&log), format!("{}…", "ä".repeat(58)), "at most 120 bytes");
}

// shows in part: WR-432 (the summary of a run)
#[test]
fn a_summary_is_bounded_however_much_a_run_was_told() {
    let mut log = Log::new();
    let root = log.run();
    log.told(root.run, None, json!({ "goal": "g".repeat(200_000) }));
    log.note(root, &"n".repeat(100_000), None);
    let short = summary(&log, &pending("plan"));
    let goal = short.goal.as_ref().unwrap().as_str();
    let recap = short.recap.as_ref().unwrap().as_str();
    assert_eq!((goal.len(), recap.len()), (RUN_GOAL_BYTES_MAX, NOTES_BYTES_MAX));
    assert!(goal.ends_with(TRUNCATION_MARKER) && recap.ends_with(TRUNCATION_MARKER));
    let titles: usize = short.workflow.step_titles.iter().map(String::len).sum();
    let rest = serde_json::to_string(&short).unwrap().len() - goal.len() - recap.len() - titles;
    assert!(titles <= STEP_TITLES_BYTES_MAX && rest < 2_048, "{rest}");
}

#[test]
fn a_summary_counts_nodes_tips_and_open_gaps() {
    let mut log = Log::new();
    let root = log.run();
    let left = log.step(root);
    let right = log.step(root);
    log.checkpoint(right);
    let reason = Reason::UserOnlyDependency(UserOnlyDependency::Choice);
    log.gap(left, GapSeverity::Critical, reason, Resolution::Unresolved {});
    log.saw_branch("topic", 0);
    let summary = summary(&log, &pending("build"));
    assert_eq!((summary.nodes, summary.tips, summary.open_gaps), (4, 2, 1));
    assert_eq!((summary.status, summary.tip), (RunStatus::Blocked, left.node));
    assert_eq!(summary.label, label(root.run));
    assert_eq!(summary.surroundings.branch.as_ref().map(BoundedText::as_str), Some("topic"));
    assert_eq!((&summary.surroundings.head_sha, &summary.recap), (&None, &None));
}

// shows: WR-453
#[test]
fn the_recap_of_a_run_is_the_newest_of_its_tip_or_of_the_step_that_led_there() {
    let mut log = Log::new();
    let root = log.run();
    let recap = |log: &Log| summary(log, &END).recap.map(BoundedText::into_string);
    let next = log.step(root);
    let first = log.note(root, "first", None);
    assert_eq!(recap(&log).as_deref(), Some("first"));
    log.note(root, "better", Some(first));
    assert_eq!(recap(&log).as_deref(), Some("better"));
    log.note(next, "own", None);
    assert_eq!(recap(&log).as_deref(), Some("own"));
    let after = log.step(next);
    let tip = log.step(after);
    assert_eq!(recap(&log), None, "not those of any earlier step");
    assert_eq!(summary(&log, &END).tip, tip.node);
}

#[test]
fn a_summary_is_read_as_it_is_written() {
    let mut log = Log::new();
    let root = log.run();
    log.note(root, "notes", None);
    for tip in [pending("plan"), END] {
        let written = summary(&log, &tip);
        let text = serde_json::to_string(&written).unwrap();
        assert_eq!(serde_json::from_str::<RunSummary>(&text).unwrap(), written);
        let more = text.replacen('{', r#"{"more":1,"#, 1);
        assert!(serde_json::from_str::<RunSummary>(&more).is_err());
    }
}
