//! Logs that lack what nothing depends on, or that lack what something depends on.

use piton_core::port::fixed::SeededEntropy;
use piton_core::{Code, TimestampMs};
use piton_workflow::event::{AdvanceOutcome, EventBody};
use piton_workflow::projection::{SessionState, status};
use piton_workflow::{EventKind, SessionEvent};
use serde_json::Value;

use super::exchanged::Exchanged;
use crate::session::rig::{ack, body};

/// What does not depend on where an event stands.
fn projected(events: &[SessionEvent]) -> String {
    let state = SessionState::of(events);
    let run = &state.runs()[0];
    let nodes: Vec<_> = run
        .graph
        .nodes()
        .map(|node| {
            let recap = run.outputs.recap(node.id);
            let (context, wants) =
                (run.contexts.effective(node.id), run.preferences.effective(node.id));
            let attempts = run.advances.at_node(node.id).len();
            (node.id, node.kind, node.cause, recap, context, wants, attempts)
        })
        .collect();
    let gaps: Vec<_> = run.gaps.all().iter().map(|gap| (&gap.record, gap.is_open())).collect();
    let tip = run.graph.preferred_tip().map(|tip| tip.id);
    format!("{nodes:?}\n{gaps:?}\n{tip:?} {:?}", status(run, false))
}

// shows: WR-190, WR-201
#[tokio::test]
async fn nothing_depends_on_events_that_only_explain() {
    let kept = Exchanged::new();
    let (rig, story) = kept.told().await;
    let events = rig.events(story.session).await;
    let explains =
        |kind| matches!(kind, EventKind::DivergenceRecorded | EventKind::DecisionTraceAppended);
    let rest: Vec<_> =
        events.iter().filter(|event| !explains(event.body().kind())).cloned().collect();
    assert!(rest.len() + 5 < events.len(), "there is something to leave out");
    assert_eq!(projected(&rest), projected(&events));
    let bare = kept.with(rest).await;
    let (without, with) = (story.answers(&bare.sessions).await, story.answers(&rig.sessions).await);
    assert_eq!(unexplained(&without), unexplained(&with));
    assert_eq!(story.end(&bare.sessions).await, story.end(&rig.sessions).await);
}

/// Answers without what a recap tells of these events: it is read and decides nothing.
fn unexplained(answers: &[String]) -> Vec<Value> {
    let cut = |answer: &String| {
        let mut body: Value = serde_json::from_str(answer).unwrap();
        if let Some(Value::String(prompt)) = body.pointer_mut("/pending/prompt")
            && let Some(place) = prompt.find("## What else is on record")
        {
            prompt.truncate(place);
            let kept = prompt.trim_end().trim_end_matches("---").trim_end().len();
            prompt.truncate(kept);
        }
        body
    };
    answers.iter().map(cut).collect()
}

// shows: WR-054, WR-057
#[tokio::test]
async fn nothing_depends_on_timestamps() {
    let kept = Exchanged::new();
    let (rig, story) = kept.told().await;
    let events = rig.events(story.session).await;
    let luck = SeededEntropy::new(1);
    let scramble = |event: &SessionEvent| {
        let time = TimestampMs(luck.next_u64() >> 12);
        let body = event.body().clone();
        SessionEvent::new(event.session(), event.index(), event.id(), time, body)
    };
    let scrambled: Vec<_> = events.iter().map(scramble).collect();
    assert_eq!(projected(&scrambled), projected(&events));
    let other = kept.with(scrambled).await;
    assert_eq!(story.answers(&other.sessions).await, story.answers(&rig.sessions).await);
    assert_eq!(story.end(&other.sessions).await, story.end(&rig.sessions).await);
}

// shows: WR-252
// shows in part: WR-282 (where correctness is at stake)
#[tokio::test]
async fn an_attempt_whose_record_is_not_whole_is_an_error_and_not_tried_again() {
    let kept = Exchanged::new();
    let (rig, story) = kept.told().await;
    let events = rig.events(story.session).await;
    let (request, answered) = story.calls.last().unwrap();
    let reached = events.iter().rev().find_map(|event| match event.body() {
        EventBody::NodeCreated(at, _) => Some(at.node),
        _ => None,
    });
    let leads_there = |event: &SessionEvent| match event.body() {
        EventBody::NodeCreated(at, _) => Some(at.node) == reached,
        EventBody::EdgeCreated(_, edge) => Some(edge.to()) == reached,
        EventBody::AdvanceRecorded(_, record) => match record.outcome {
            AdvanceOutcome::Advanced { to_node_id } => Some(to_node_id) == reached,
            AdvanceOutcome::Blocked { .. } => false,
        },
        _ => false,
    };
    assert_eq!(body(&rig.sessions.proceed(request.clone()).await.unwrap()), body(answered));
    for lost in [
        &[EventKind::EdgeCreated][..],
        &[EventKind::NodeCreated, EventKind::EdgeCreated],
        &[EventKind::AdvanceRecorded],
        &[EventKind::AdvanceRecorded, EventKind::EdgeCreated],
    ] {
        let is_lost =
            |event: &&SessionEvent| leads_there(event) && lost.contains(&event.body().kind());
        let rest: Vec<_> = events.iter().filter(|event| !is_lost(event)).cloned().collect();
        let count = rest.len();
        assert_eq!(count + lost.len(), events.len(), "{lost:?}");
        let broken = kept.with(rest).await;
        // Without the edge, nothing in the log but the node itself says that there was an attempt.
        let is_noticed = lost != [EventKind::AdvanceRecorded, EventKind::EdgeCreated];
        let elsewhere = is_noticed.then(|| ack(&story.last, "More.", vec![]));
        for request in std::iter::once(request.clone()).chain(elsewhere) {
            let error = broken.sessions.proceed(request).await.unwrap_err();
            assert_eq!(error.code(), Code::StoreInvariantViolation, "{lost:?}: {error}");
        }
        assert_eq!(broken.event_count(story.session).await, count);
    }
}
