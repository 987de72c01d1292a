//! Acts one and four: plans that are appended, and one that is sent again.

use piton_core::{Clock as _, DedupeKey, EventId, EventIndex, SnapshotRef, canonical};
use piton_store::{
    AppendPlan, Event as _, NewBlob, StreamId,
    local::{SystemClock, SystemEntropy},
    port::{Appended, Namespace, StreamLease},
};

use super::{
    event::DemoEvent,
    facts::{Repeated, Written},
    store::{Store, timed},
};
use crate::failure::Failure;

/// What the agent of the demo did, one plan each.
pub(super) const STORY: [&str; 4] = [
    "asked: why is the login test flaky?",
    "reproduced: it fails 3 times in 50",
    "isolated: another test takes port 8080",
    "fixed: each test asks for a free port",
];

/// The events of every plan.
const PARTS: [&str; 3] = ["begun", "noted", "done"];

/// The plan that is sent again.
const REPEATED: u64 = 2;

/// Appends the story, and tells of each plan when it is durable.
pub(super) fn write(
    store: &Store,
    session: &StreamId,
    tell: impl Fn(&Written),
) -> Result<Vec<Written>, Failure> {
    let lease = store.lease(session)?;
    let mut written = Vec::new();
    for (plan, text) in (1..).zip(STORY) {
        let next = make(session, lease.next_event(), plan, text);
        let (appended, milliseconds) = timed(|| store.append(&lease, next));
        expect_committed(&appended?)?;
        let durable = Written { plan, events: PARTS.len() as u64, milliseconds, text };
        tell(&durable);
        written.push(durable);
    }
    Ok(written)
}

/// Appends one plan that must be new.
pub(super) fn append_new(
    store: &Store,
    lease: &StreamLease,
    plan: u64,
    text: &str,
) -> Result<(), Failure> {
    let next = make(lease.stream(), lease.next_event(), plan, text);
    expect_committed(&store.append(lease, next)?)
}

/// Sends a plan a second time.
pub(super) fn repeat(store: &Store, session: &StreamId) -> Result<Repeated, Failure> {
    let lease = store.lease(session)?;
    let before = lease.next_event();
    let text = STORY[usize::try_from(REPEATED).map_or(0, |plan| plan - 1)];
    let appended = store.append(&lease, make(session, before, REPEATED, text))?;
    let Appended::AlreadyPresent { indices } = appended else {
        return Err(Failure::BrokenPromise("a plan that was sent twice was recorded twice".into()));
    };
    let (Some(first), Some(last)) = (indices.first(), indices.last()) else {
        return Err(Failure::BrokenPromise("a plan was recognised, but not where it is".into()));
    };
    Ok(Repeated {
        plan: REPEATED,
        first_index: first.get(),
        last_index: last.get(),
        events_before: before.get(),
        events_after: lease.next_event().get(),
    })
}

fn expect_committed(appended: &Appended) -> Result<(), Failure> {
    match appended {
        Appended::Committed { .. } => Ok(()),
        Appended::AlreadyPresent { .. } => {
            Err(Failure::BrokenPromise("a new plan was taken for one that was there".into()))
        }
    }
}

/// A plan of one event for each part, with a snapshot at the second. The same plan of the same
/// session always records the same facts, under new event ids.
fn make(session: &StreamId, first: EventIndex, plan: u64, text: &str) -> AppendPlan<DemoEvent> {
    let state = serde_json::json!({ "v": 1, "session": session.as_str(), "plan": plan });
    let state = canonical::encode(&state).expect("a small object of text and small numbers");
    let snapshot = NewBlob::canonical(Namespace::Snapshots, state);
    let mut index = first;
    let mut events = Vec::new();
    for (part, word) in (1..).zip(PARTS) {
        events.push(DemoEvent {
            v: DemoEvent::VERSION,
            event_id: EventId::mint(&SystemEntropy),
            event_index: index,
            session_id: session.clone(),
            dedupe_key: DedupeKey::new("demo", &[session, &plan, &part])
                .expect("a session id and two numbers"),
            timestamp_ms: SystemClock.now_ms(),
            plan,
            part,
            parts: PARTS.len() as u64,
            text: format!("{word}: {text}"),
            snapshot_ref: (part == 2).then(|| SnapshotRef::new(snapshot.digest())),
        });
        index = index.next();
    }
    AppendPlan::new(events).with_blob(snapshot)
}
