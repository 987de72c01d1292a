//! A session event as the journal sees it.

use piton_core::{DedupeKey, SessionId, SnapshotRef};
use piton_store::{Event as _, StreamId};
use piton_workflow::{EventKind, SessionEvent};

use super::sample::{SESSION, at, bodies, digest};

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
