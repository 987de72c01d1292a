//! What a node sees of what came before it, and what it does not see of other branches.

use piton_workflow::{
    Autonomy, Capability, CapabilityStatus, Claim, FailureCode, ObservationKey, OutputChannel,
    event::{AdvanceOutcome, NodeScope, ObservedValue, UseResult},
    projection::CapabilityStanding,
};
use serde_json::{Value, json};

use super::log::{DEFAULTS, Log};

// shows: WR-318, WR-439
#[test]
fn the_newest_output_that_was_not_replaced_stands() {
    let mut log = Log::new();
    let root = log.run();
    let first = log.note(root, "first", None);
    let second = log.note(root, "second", Some(first));
    log.note(root, "third", Some(second));
    let outputs = &log.state.runs()[0].outputs;
    assert_eq!(outputs.recap(root.node), Some("third"));
    assert_eq!(outputs.current(root.node, OutputChannel::Recap).count(), 1);
    assert_eq!(outputs.at_node(root.node).len(), 3, "history stays");
    assert_eq!(outputs.current(root.node, OutputChannel::Artifact).count(), 0);
}

// shows: WR-292
#[test]
fn preferences_come_from_the_nearest_node_on_the_way() {
    let mut log = Log::new();
    let root = log.run();
    log.prefer(root, DEFAULTS, Autonomy::FullAutoStopOnUserDeps);
    let left = log.step(root);
    let right = log.step(root);
    let run = &log.state.runs()[0];
    let before = run.preferences.effective(right.node).unwrap();
    log.prefer(left, before, Autonomy::FullAutoNeverStop);
    let below = log.step(left);
    let run = &log.state.runs()[0];
    let autonomy =
        |at: NodeScope| run.preferences.effective(at.node).map(|preferences| preferences.autonomy);
    assert_eq!(autonomy(below), Some(Autonomy::FullAutoNeverStop));
    assert_eq!(autonomy(right), Some(Autonomy::FullAutoStopOnUserDeps));
    assert_eq!(autonomy(root), Some(Autonomy::FullAutoStopOnUserDeps));
}

// shows: WR-295, WR-296, WR-298
#[test]
fn a_claim_is_shown_but_only_use_and_probes_count() {
    use CapabilityStatus::{Available, Unavailable, Unknown};
    let mut log = Log::new();
    let root = log.run();
    let standing = |log: &Log, at: NodeScope| {
        let run = &log.state.runs()[0];
        run.capabilities.capability(at.node, Capability::WebBrowsing)
    };
    let expect = |enforced, shown| CapabilityStanding { enforced, shown };
    assert_eq!(standing(&log, root), expect(Unknown, Unknown));
    log.claimed(root, Claim::Available);
    assert_eq!(standing(&log, root), expect(Unknown, Available));
    log.used(root, UseResult::Failure(FailureCode::ToolMissing));
    assert_eq!(standing(&log, root), expect(Unavailable, Unavailable));
    log.claimed(root, Claim::Available);
    assert_eq!(standing(&log, root), expect(Unavailable, Available));
    let child = log.step(root);
    assert_eq!(standing(&log, child), expect(Unavailable, Available));
    log.used(child, UseResult::Success);
    assert_eq!(standing(&log, child), expect(Available, Available));
    assert_eq!(standing(&log, root), expect(Unavailable, Available));
    assert_eq!(log.state.runs()[0].capabilities.at_node(root.node).len(), 3);
}

// shows: WR-421, WR-422
#[test]
fn a_branch_does_not_see_the_context_of_another() {
    let mut log = Log::new();
    let root = log.run();
    let seen = |log: &Log, at: NodeScope| {
        let run = &log.state.runs()[0];
        run.contexts.effective(at.node).map(|context| Value::Object(context.as_object().clone()))
    };
    assert_eq!(seen(&log, root), None);
    log.told(root.run, None, json!({ "goal": "a" }));
    assert_eq!(seen(&log, root), Some(json!({ "goal": "a" })));
    let (left, attempt) = log.advance(root);
    log.told(root.run, Some(attempt), json!({ "goal": "left" }));
    let (right, attempt) = log.advance(root);
    log.told(root.run, Some(attempt), json!({ "goal": "right" }));
    let below = log.step(left);
    assert_eq!(seen(&log, below), Some(json!({ "goal": "left" })));
    assert_eq!(seen(&log, right), Some(json!({ "goal": "right" })));
    assert_eq!(seen(&log, root), Some(json!({ "goal": "a" })), "a rewind sees what was known then");
}

// shows: WR-261
#[test]
fn attempts_are_found_by_node_and_attempt() {
    let mut log = Log::new();
    let root = log.run();
    let (next, attempt) = log.advance(root);
    let advances = &log.state.runs()[0].advances;
    let outcome = AdvanceOutcome::Advanced { to_node_id: next.node };
    let recorded = advances.attempt(root.node, attempt);
    assert_eq!(recorded.map(|recorded| &recorded.outcome), Some(&outcome));
    assert_eq!(advances.attempt(next.node, attempt), None);
    let counts = [root.node, next.node].map(|node| advances.at_node(node).len());
    assert_eq!(counts, [1, 0]);
}

// shows: WR-160
#[test]
fn what_was_seen_last_counts() {
    let mut log = Log::new();
    log.saw_branch("main", 0);
    log.saw_branch("topic", 1);
    log.saw_branch("main", 2);
    let observed = log.state.observed(ObservationKey::GitBranch).unwrap();
    let ObservedValue::ShortString(name) = &observed.value else { panic!("{observed:?}") };
    assert_eq!((name.as_str(), observed.index.get()), ("main", 3));
}
