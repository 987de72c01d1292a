//! Logs that lack what nothing depends on, or that lack what something depends on.

use std::sync::Arc;

use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Code, EventIndex, TimestampMs};
use piton_store::AppendPlan;
use piton_store::memory::{MemoryBlobs, MemoryJournal, MemoryKeyRing};
use piton_store::port::{Journal, KeyRing};
use piton_workflow::event::EventBody;
use piton_workflow::projection::{SessionState, status};
use piton_workflow::{EventKind, SessionEvent};

use super::story::{Story, tell};
use crate::session::rig::{Rig, ack, body};

/// A store in memory whose log can be exchanged.
struct Store {
    blobs: MemoryBlobs,
    keys: Arc<dyn KeyRing>,
}

impl Store {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(0)));
        let keys = Arc::new(MemoryKeyRing::new(Arc::new(SeededEntropy::new(5))));
        Self { blobs: MemoryBlobs::new(clock), keys }
    }

    fn rig(&self, journal: MemoryJournal<SessionEvent>, seed: u64) -> Rig {
        let blobs = Arc::new(self.blobs.clone());
        Rig::over(Arc::new(journal), blobs, Arc::clone(&self.keys), seed)
    }

    /// A process over a log that holds `events` from their first on.
    async fn with(&self, events: Vec<SessionEvent>) -> Rig {
        let journal = MemoryJournal::new(self.blobs.clone());
        let stream = events[0].session().into();
        let mut index = EventIndex::ZERO;
        let mut renumbered = Vec::with_capacity(events.len());
        for event in events {
            let (session, id, time) = (event.session(), event.id(), event.timestamp());
            renumbered.push(SessionEvent::new(session, index, id, time, event.into_body()));
            index = index.next();
        }
        let lease = journal.lease(&stream).await.expect("it is new");
        let appended = journal.append(&lease.writer(), AppendPlan::new(renumbered)).await;
        appended.expect("it is a plan");
        drop(lease);
        self.rig(journal, 9)
    }

    async fn told(&self) -> (Rig, Story) {
        let rig = self.rig(MemoryJournal::new(self.blobs.clone()), 8);
        let story = tell(&rig, &|_| {}).await;
        (rig, story)
    }
}

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
            (node.id, node.kind, node.cause, recap, context, wants, run.advances.count(node.id))
        })
        .collect();
    let gaps: Vec<_> = run.gaps.all().iter().map(|gap| (&gap.record, gap.is_open())).collect();
    let tip = run.graph.preferred_tip().map(|tip| tip.id);
    format!("{nodes:?}\n{gaps:?}\n{tip:?} {:?}", status(run, false))
}

// shows: WR-190, WR-201
#[tokio::test]
async fn nothing_depends_on_events_that_only_explain() {
    let store = Store::new();
    let (rig, story) = store.told().await;
    let events = rig.events(story.session).await;
    let explains =
        |kind| matches!(kind, EventKind::DivergenceRecorded | EventKind::DecisionTraceAppended);
    let rest: Vec<_> =
        events.iter().filter(|event| !explains(event.body().kind())).cloned().collect();
    assert!(rest.len() + 5 < events.len(), "there is something to leave out");
    assert_eq!(projected(&rest), projected(&events));
    let bare = store.with(rest).await;
    assert_eq!(story.answers(&bare.sessions).await, story.answers(&rig.sessions).await);
    assert_eq!(story.end(&bare.sessions).await, story.end(&rig.sessions).await);
}

// shows: WR-054, WR-057
#[tokio::test]
async fn nothing_depends_on_timestamps() {
    let store = Store::new();
    let (rig, story) = store.told().await;
    let events = rig.events(story.session).await;
    let luck = SeededEntropy::new(1);
    let scramble = |event: &SessionEvent| {
        let time = TimestampMs(luck.next_u64() >> 12);
        let body = event.body().clone();
        SessionEvent::new(event.session(), event.index(), event.id(), time, body)
    };
    let scrambled: Vec<_> = events.iter().map(scramble).collect();
    assert_eq!(projected(&scrambled), projected(&events));
    let other = store.with(scrambled).await;
    assert_eq!(story.answers(&other.sessions).await, story.answers(&rig.sessions).await);
    assert_eq!(story.end(&other.sessions).await, story.end(&rig.sessions).await);
}

// shows: WR-252 (an attempt whose node or edge is gone is an error, and nothing is decided again)
#[tokio::test]
async fn an_attempt_whose_node_is_gone_is_an_error_and_not_tried_again() {
    let store = Store::new();
    let (rig, story) = store.told().await;
    let events = rig.events(story.session).await;
    let (request, answered) = story.calls.last().unwrap();
    let reached = events.iter().rev().find_map(|event| match event.body() {
        EventBody::NodeCreated(at, _) => Some(at.node),
        _ => None,
    });
    let is_about = |event: &SessionEvent, lacks_node: bool| match event.body() {
        EventBody::NodeCreated(at, _) => lacks_node && Some(at.node) == reached,
        EventBody::EdgeCreated(_, edge) => Some(edge.to()) == reached,
        _ => false,
    };
    assert_eq!(body(&rig.sessions.proceed(request.clone()).await.unwrap()), body(answered));
    for lacks_node in [false, true] {
        let rest: Vec<_> =
            events.iter().filter(|event| !is_about(event, lacks_node)).cloned().collect();
        let count = rest.len();
        let broken = store.with(rest).await;
        for request in [request.clone(), ack(&story.last, "More.", vec![])] {
            let error = broken.sessions.proceed(request).await.unwrap_err();
            assert_eq!(error.code(), Code::StoreInvariantViolation, "{error}");
        }
        assert_eq!(broken.event_count(story.session).await, count);
    }
}
