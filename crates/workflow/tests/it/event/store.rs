//! A session event as the journal sees it.

use std::sync::Arc;

use piton_core::port::fixed::ManualClock;
use piton_core::{DedupeKey, SessionId, SnapshotRef, TimestampMs, canonical};
use piton_store::memory::{MemoryBlobs, MemoryJournal};
use piton_store::port::{Appended, BlobNamespace, Journal as _, JournalReader as _};
use piton_store::{AppendPlan, Event as _, NewBlob, StreamId};
use piton_workflow::{EventBody, EventKind, NodeKind, SessionEvent};

use super::sample::{AT_ROOT, RUN, SESSION, at, bodies, digest, node, run_started};
use crate::token::samples::ready;

#[test]
fn the_journal_finds_what_it_needs_in_every_event() {
    for body in bodies() {
        let event = at(5, body.clone());
        assert_eq!(SessionEvent::VERSION, 1);
        assert_eq!(event.version(), 1);
        assert_eq!(piton_store::Event::index(&event).get(), 5);
        assert_eq!(piton_store::Event::id(&event), event.id());
        let key: &DedupeKey = piton_store::Event::dedupe_key(&event);
        assert_eq!(*key, body.dedupe_key(SESSION));
        assert!(event.belongs_to(&StreamId::from(SESSION)));
        assert!(!event.belongs_to(&StreamId::from(SessionId::from_bytes([8; 16]))));
    }
}

#[test]
fn a_new_node_introduces_its_snapshot_and_nothing_else_does() {
    for body in bodies() {
        let expected =
            (body.kind() == EventKind::NodeCreated).then(|| SnapshotRef::new(digest(21)));
        assert_eq!(at(5, body).introduces(), expected);
    }
}

#[test]
fn the_start_of_a_session_is_appended_pinned_loaded_and_recognised() {
    let snapshot = canonical::encode(&serde_json::json!({"v": 1})).unwrap();
    let snapshot = NewBlob::canonical(BlobNamespace::Snapshots, snapshot);
    let mut root = node(AT_ROOT, NodeKind::Step, None);
    if let EventBody::NodeCreated(_, node) = &mut root {
        node.snapshot_ref = SnapshotRef::new(snapshot.digest());
    }
    let events = vec![at(0, EventBody::SessionCreated), at(1, run_started(RUN)), at(2, root)];
    let plan = || AppendPlan::new(events.clone()).with_blob(snapshot.clone());

    let clock = ManualClock::new(TimestampMs(0));
    let journal = MemoryJournal::<SessionEvent>::new(MemoryBlobs::new(Arc::new(clock)));
    let stream = StreamId::from(SESSION);
    let lease = ready(journal.lease(&stream)).unwrap();
    let first = ready(journal.append(&lease.writer(), plan())).unwrap();
    let second = ready(journal.append(&lease.writer(), plan())).unwrap();

    assert!(matches!(first, Appended::Committed { .. }), "{first:?}");
    assert!(matches!(second, Appended::AlreadyPresent { .. }), "{second:?}");
    assert_eq!(ready(journal.load(&stream)).unwrap().events, events);
    let pins = ready(journal.pins(&stream, None)).unwrap();
    assert_eq!(pins.snapshots, [SnapshotRef::new(snapshot.digest())]);
}
