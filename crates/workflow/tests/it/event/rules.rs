//! What holds across the events of a log.

use piton_core::{EventIndex, GapId, NodeId, OutputId, RunId, SessionId, TimestampMs};
use piton_workflow::event::{
    LogFlaw, LogProblem, LogRules, NodeScope, OutputPayload, PreferenceChange, Preferences,
    Resolution, validate,
};
use piton_workflow::{
    Autonomy, CapabilityStatus, ChangeOrdinal, EdgeKind, EventBody, NodeKind, ObservationKey,
    ProbeResult, RiskPolicy, SessionEvent,
};

use super::sample::{
    AT_NEXT, AT_ROOT, GUIDED, NEXT, ROOT, RUN, SESSION, advanced, artifact, at, capability,
    context_set, divergence, edge, event_id, gap, node, observed, output, preferences, probe,
    run_started, short, workflow,
};

const OTHER_RUN: RunId = RunId::from_bytes([12; 16]);
const OTHER: NodeId = NodeId::from_bytes([13; 16]);
const AT_OTHER: NodeScope = NodeScope { run: OTHER_RUN, node: OTHER };
const THIRD: NodeId = NodeId::from_bytes([14; 16]);
const AT_THIRD: NodeScope = NodeScope { run: RUN, node: THIRD };

/// A session with two runs that have one node each: five events.
fn start() -> Vec<EventBody> {
    vec![
        EventBody::SessionCreated,
        run_started(RUN),
        node(AT_ROOT, NodeKind::Step, None),
        run_started(OTHER_RUN),
        node(AT_OTHER, NodeKind::Step, None),
    ]
}

fn step(at: NodeScope, parent: NodeId) -> EventBody {
    node(at, NodeKind::Step, Some(parent))
}

fn log(bodies: Vec<EventBody>) -> Vec<SessionEvent> {
    (0..).zip(bodies).map(|(index, body)| at(index, body)).collect()
}

/// What is wrong after `more` follow on [`start`]: the place, counted from the first of them, and why.
fn check(more: &[EventBody], expected: Result<(), (u64, LogProblem)>) {
    let before = start().len() as u64;
    let found = validate(&log([start(), more.to_vec()].concat()))
        .map_err(|LogFlaw { index, problem }| (index.get() - before, problem));
    assert_eq!(found, expected, "{more:#?}");
}

fn fine(more: &[EventBody]) {
    check(more, Ok(()));
}

fn flawed(more: &[EventBody], at: u64, problem: LogProblem) {
    check(more, Err((at, problem)));
}

#[test]
fn a_log_begins_with_its_session_and_has_it_once() {
    assert_eq!(validate(&[]), Ok(()));
    fine(&[]);
    flawed(&[EventBody::SessionCreated], 0, LogProblem::SessionCreated);
    let headless = validate(&[at(0, run_started(RUN))]).unwrap_err();
    assert_eq!(headless.problem, LogProblem::SessionCreated);
}

#[test]
fn events_stand_at_their_places_in_one_session_and_once() {
    let after = |event: SessionEvent| {
        let mut events = log(start());
        events.push(event);
        validate(&events).unwrap_err().problem
    };
    let expected = EventIndex::new(5).unwrap();
    assert_eq!(after(at(6, divergence("a"))), LogProblem::IndexOutOfOrder { expected });
    let time = TimestampMs(0);
    let foreign = SessionId::from_bytes([8; 16]);
    let event = SessionEvent::new(foreign, expected, event_id(5), time, divergence("a"));
    assert_eq!(after(event), LogProblem::ForeignSession);
    let event = SessionEvent::new(SESSION, expected, event_id(1), time, divergence("a"));
    assert_eq!(after(event), LogProblem::RepeatedEventId);
    assert_eq!(after(at(5, run_started(RUN))), LogProblem::RepeatedFact);
}

#[test]
fn what_an_event_is_about_was_there_before() {
    let (run, node_id) = (RunId::from_bytes([99; 16]), NodeId::from_bytes([99; 16]));
    let unknown_run = LogProblem::UnknownRun { run };
    flawed(&[node(NodeScope { run, node: THIRD }, NodeKind::Step, None)], 0, unknown_run);
    let at = NodeScope { run: RUN, node: node_id };
    let unknown = LogProblem::UnknownNode { node: node_id };
    flawed(&[output(at, 1, None, artifact())], 0, unknown);
    flawed(&[advanced(at, NEXT)], 0, unknown);
    let elsewhere = NodeScope { run: RUN, node: OTHER };
    let problem = LogProblem::NodeOfAnotherRun { node: OTHER };
    flawed(&[output(elsewhere, 1, None, artifact())], 0, problem);
    fine(&[context_set(&serde_json::json!({}))]);
    fine(&[divergence("a")]);
}

// shows: WR-119
#[test]
fn a_run_has_one_root() {
    let second = node(AT_NEXT, NodeKind::Step, None);
    flawed(&[second], 0, LogProblem::SecondRoot { run: RUN });
}

// shows: WR-120
#[test]
fn a_parent_is_an_earlier_node_of_the_same_run() {
    fine(&[step(AT_NEXT, ROOT), step(AT_THIRD, NEXT)]);
    flawed(&[step(AT_NEXT, OTHER)], 0, LogProblem::NodeOfAnotherRun { node: OTHER });
    flawed(&[step(AT_NEXT, THIRD)], 0, LogProblem::UnknownNode { node: THIRD });
    flawed(&[step(AT_NEXT, NEXT)], 0, LogProblem::UnknownNode { node: NEXT });
}

// shows: WR-121
#[test]
fn a_node_has_the_workflow_of_its_run() {
    let mut body = step(AT_NEXT, ROOT);
    if let EventBody::NodeCreated(_, node) = &mut body {
        node.workflow_hash = workflow(99);
    }
    flawed(&[body], 0, LogProblem::WorkflowHash { run: RUN });
}

#[test]
fn a_node_is_created_once_in_a_session() {
    let repeated = LogProblem::RepeatedNode { node: ROOT };
    flawed(&[step(AT_ROOT, ROOT)], 0, repeated);
    flawed(&[step(NodeScope { run: OTHER_RUN, node: ROOT }, OTHER)], 0, repeated);
}

// shows: WR-125
#[test]
fn an_edge_is_caused_by_an_event_of_the_session() {
    let step = step(AT_NEXT, ROOT);
    fine(&[step.clone(), edge(EdgeKind::AckedStep, ROOT, NEXT, 2)]);
    // The cause may come later in the same plan.
    let edge_first = [edge(EdgeKind::AckedStep, ROOT, NEXT, 7), advanced(AT_ROOT, NEXT)];
    fine(&[vec![step.clone()], edge_first.to_vec()].concat());
    let dangling = LogProblem::UnknownCause { event: event_id(99) };
    flawed(&[step.clone(), edge(EdgeKind::AckedStep, ROOT, NEXT, 99)], 1, dangling);
    let itself = LogProblem::UnknownCause { event: event_id(6) };
    flawed(&[step, edge(EdgeKind::AckedStep, ROOT, NEXT, 6)], 1, itself);
}

// shows: WR-126
#[test]
fn an_edge_joins_nodes_of_its_run() {
    let to_other = edge(EdgeKind::AckedStep, ROOT, OTHER, 2);
    flawed(&[to_other], 0, LogProblem::NodeOfAnotherRun { node: OTHER });
    let from_other = edge(EdgeKind::AckedStep, OTHER, ROOT, 2);
    flawed(&[from_other], 0, LogProblem::NodeOfAnotherRun { node: OTHER });
    let EventBody::EdgeCreated(_, joined) = edge(EdgeKind::AckedStep, ROOT, NEXT, 2) else {
        panic!("an edge is one");
    };
    let wrong_scope = EventBody::EdgeCreated(OTHER_RUN, joined);
    let problem = LogProblem::NodeOfAnotherRun { node: ROOT };
    flawed(&[step(AT_NEXT, ROOT), wrong_scope], 1, problem);
    let unknown = edge(EdgeKind::AckedStep, ROOT, NEXT, 2);
    flawed(&[unknown], 0, LogProblem::UnknownNode { node: NEXT });
}

// shows: WR-127
#[test]
fn an_edge_leads_from_a_parent_to_its_child() {
    let nodes = [step(AT_NEXT, ROOT), node(AT_THIRD, NodeKind::Checkpoint, Some(NEXT))];
    let with = |last: EventBody| [nodes.to_vec(), vec![last]].concat();
    fine(&with(edge(EdgeKind::Checkpoint, NEXT, THIRD, 2)));
    let problem = LogProblem::NotTheParent { from: ROOT, to: THIRD };
    for kind in EdgeKind::ALL {
        flawed(&with(edge(*kind, ROOT, THIRD, 2)), 2, problem);
    }
    let back = LogProblem::NotTheParent { from: NEXT, to: ROOT };
    flawed(&with(edge(EdgeKind::AckedStep, NEXT, ROOT, 2)), 2, back);
}

// shows in part: WR-129 (the target)
#[test]
fn the_edge_of_a_bookmark_leads_to_a_bookmark() {
    let problem = LogProblem::NotACheckpoint { node: NEXT };
    flawed(&[step(AT_NEXT, ROOT), edge(EdgeKind::Checkpoint, ROOT, NEXT, 2)], 1, problem);
    let bookmark = node(AT_NEXT, NodeKind::Checkpoint, Some(ROOT));
    fine(&[bookmark, edge(EdgeKind::Checkpoint, ROOT, NEXT, 2)]);
}

// shows: WR-140
#[test]
fn an_attempt_that_advanced_has_its_node_and_its_edge() {
    let advance = advanced(AT_ROOT, NEXT);
    let child = step(AT_NEXT, ROOT);
    let joined = edge(EdgeKind::AckedStep, ROOT, NEXT, 2);
    let bookmark = node(AT_NEXT, NodeKind::Checkpoint, Some(ROOT));
    let bookmarked = edge(EdgeKind::Checkpoint, ROOT, NEXT, 2);
    fine(&[advance.clone(), child.clone(), joined.clone()]);
    fine(&[child.clone(), joined.clone(), advance.clone()]);
    fine(&[child.clone(), advance.clone(), joined]);
    let (no_node, no_edge) =
        (LogProblem::AdvanceWithoutNode { to: NEXT }, LogProblem::AdvanceWithoutEdge { to: NEXT });
    flawed(std::slice::from_ref(&advance), 0, no_node);
    flawed(&[child, advance.clone()], 1, no_edge);
    flawed(&[bookmark, bookmarked, advance], 2, no_edge);
}

// shows: WR-146, WR-147
#[test]
fn an_output_supersedes_an_earlier_one_of_its_node_and_channel() {
    let notes = || OutputPayload::notes("a");
    let (child, first) = (step(AT_NEXT, ROOT), output(AT_ROOT, 1, None, notes()));
    let earlier = OutputId::from_bytes([1; 16]);
    let with = |last: EventBody| [child.clone(), first.clone(), last];
    fine(&with(output(AT_ROOT, 2, Some(1), notes())));
    let problem = LogProblem::OutputOfAnotherNode { output: earlier };
    flawed(&with(output(AT_NEXT, 2, Some(1), notes())), 2, problem);
    let problem = LogProblem::OutputOnAnotherChannel { output: earlier };
    flawed(&with(output(AT_ROOT, 2, Some(1), artifact())), 2, problem);
    for unknown in [2, 3] {
        let output_id = OutputId::from_bytes([unknown; 16]);
        let problem = LogProblem::UnknownOutput { output: output_id };
        flawed(&with(output(AT_ROOT, 2, Some(unknown), notes())), 2, problem);
    }
}

// shows: WR-166
#[test]
fn effective_preferences_are_the_earlier_ones_on_the_way_to_the_node_after_the_delta() {
    let never_stop = PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop);
    let bold = PreferenceChange::RiskPolicy(RiskPolicy::Aggressive);
    let changed =
        |previous: Preferences| Preferences { autonomy: Autonomy::FullAutoNeverStop, ..previous };
    let first = preferences(AT_ROOT, 1, GUIDED, vec![never_stop]);
    let nodes = [step(AT_NEXT, ROOT), step(AT_THIRD, ROOT)];
    let with = |more: Vec<EventBody>| [nodes.to_vec(), vec![first.clone()], more].concat();
    // On the same node, and inherited by a child.
    fine(&with(vec![preferences(AT_ROOT, 2, changed(GUIDED), vec![bold])]));
    fine(&with(vec![preferences(AT_NEXT, 2, changed(GUIDED), vec![bold])]));
    let problem = LogProblem::EffectivePreferences;
    flawed(&with(vec![preferences(AT_ROOT, 2, GUIDED, vec![bold])]), 3, problem);
    flawed(&with(vec![preferences(AT_NEXT, 2, GUIDED, vec![bold])]), 3, problem);
    // A change on one branch is not seen by another one.
    let branch = preferences(AT_NEXT, 2, changed(GUIDED), vec![bold]);
    let sibling = |previous| {
        let guided = PreferenceChange::Autonomy(Autonomy::Guided);
        preferences(AT_THIRD, 3, previous, vec![guided])
    };
    fine(&with(vec![branch.clone(), sibling(changed(GUIDED))]));
    let leaked = Preferences { risk_policy: RiskPolicy::Aggressive, ..changed(GUIDED) };
    flawed(&with(vec![branch, sibling(leaked)]), 4, problem);
}

#[test]
fn a_gap_resolves_an_earlier_one() {
    let earlier = GapId::from_bytes([1; 16]);
    let resolves = gap(2, Resolution::Resolves { resolves_gap_id: earlier });
    fine(&[gap(1, Resolution::Unresolved {}), resolves.clone()]);
    flawed(&[resolves], 0, LogProblem::UnknownGap { gap: earlier });
}

// shows: WR-176
#[test]
fn a_capability_is_observed_again_under_another_id() {
    let seen = |id, result, status| capability(id, status, probe(result)).unwrap();
    let found = seen(1, ProbeResult::Success, CapabilityStatus::Available);
    fine(&[found.clone(), seen(2, ProbeResult::Failure, CapabilityStatus::Unavailable)]);
    flawed(&[found.clone(), found], 1, LogProblem::RepeatedFact);
}

// shows in part: WR-159 (n counts the changes of that key)
#[test]
fn an_observation_counts_those_of_its_key_before_it() {
    let branch = |change, name| observed(ObservationKey::GitBranch, change, short(name));
    let root = observed(ObservationKey::RepoRoot, 0, short("/"));
    fine(&[branch(0, "a"), root, branch(1, "b"), branch(2, "a")]);
    let problem = LogProblem::ObservationChange { expected: ChangeOrdinal(1) };
    flawed(&[branch(0, "a"), branch(0, "b")], 1, problem);
    flawed(&[branch(0, "a"), branch(2, "b")], 1, problem);
}

#[test]
fn a_refused_event_leaves_the_rules_as_they_were() {
    let mut rules = LogRules::new();
    for event in log(start()) {
        rules.apply(&event).unwrap();
    }
    let second_root = at(5, node(AT_NEXT, NodeKind::Step, None));
    assert!(rules.apply(&second_root).is_err());
    assert!(rules.apply(&second_root).is_err());
    rules.apply(&at(5, step(AT_NEXT, ROOT))).unwrap();
    rules.apply(&at(6, advanced(AT_ROOT, NEXT))).unwrap();
    assert!(rules.settled().is_err());
    rules.apply(&at(7, edge(EdgeKind::AckedStep, ROOT, NEXT, 6))).unwrap();
    rules.settled().unwrap();
}
