//! The promise of every journal to its readers.

use piton_core::{DedupeKey, Digest, FileBytes, ManifestIndex, SnapshotRef, canonical};

use super::suite::{TwoProcesses, append, index, stream};
use crate::port::{Cursor, Follow, Journal};
use crate::record::{Record, SegmentClosed, SnapshotPinned, segment_path};
use crate::testing::{Sample, sample_snapshot};
use crate::{Error, Event};

pub(super) async fn a_reader_follows_what_another_process_writes<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("follow");
    let lease = store.there.lease(&name).await.unwrap();
    append(&store.there, &lease, 2, "a").await.unwrap();
    let cursor = store.here.load(&name).await.unwrap().cursor;
    assert!(matches!(store.here.follow(&name, &cursor).await.unwrap(), Follow::Unchanged));
    // A cursor that one process wrote down serves another.
    let cursor: Cursor = cursor.to_string().parse().unwrap();
    assert!(matches!(store.there.follow(&name, &cursor).await.unwrap(), Follow::Unchanged));
    append(&store.there, &lease, 2, "b").await.unwrap();
    append(&store.there, &lease, 1, "c").await.unwrap();
    let Follow::Appended { events, cursor } = store.here.follow(&name, &cursor).await.unwrap()
    else {
        panic!("two plans were appended");
    };
    let found: Vec<u64> = events.iter().map(|event| event.index().get()).collect();
    assert_eq!((found, cursor.next_event()), (vec![2, 3, 4], index(5)));
    assert!(matches!(store.here.follow(&name, &cursor).await.unwrap(), Follow::Unchanged));
    store.there.delete(lease).await.unwrap();
    assert!(matches!(store.here.follow(&name, &cursor).await.unwrap(), Follow::Replaced));
    let lease = store.there.lease(&name).await.unwrap();
    for part in ["x", "y", "z", "w"] {
        append(&store.there, &lease, 3, part).await.unwrap();
    }
    assert!(matches!(store.here.follow(&name, &cursor).await.unwrap(), Follow::Replaced));
}

pub(super) async fn a_writer_knows_where_a_reader_of_its_plans_would_stand<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("cursor");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    let cursor = lease.cursor();
    assert_eq!(cursor.next_event(), index(2));
    for journal in [&store.here, &store.there] {
        assert_eq!(journal.load(&name).await.unwrap().cursor, cursor);
        assert!(matches!(journal.follow(&name, &cursor).await.unwrap(), Follow::Unchanged));
    }
    append(&store.here, &lease, 1, "b").await.unwrap();
    let Follow::Appended { events, cursor: next } =
        store.there.follow(&name, &cursor).await.unwrap()
    else {
        panic!("something was appended");
    };
    assert_eq!(events.len(), 1);
    assert_eq!(next, lease.cursor());
    drop(lease);
    assert_eq!(
        store.there.lease(&name).await.unwrap().cursor(),
        next,
        "a new lease ends there too"
    );
}

pub(super) async fn a_lookup_finds_what_another_process_wrote<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("lookup");
    let key = |fact: &str| DedupeKey::new("sample", &[&name, &fact]).unwrap();
    assert_eq!(store.here.lookup(&name, &key("a-0")).await.unwrap(), None);
    let lease = store.there.lease(&name).await.unwrap();
    append(&store.there, &lease, 2, "a").await.unwrap();
    for journal in [&store.here, &store.there, &store.here] {
        assert_eq!(journal.lookup(&name, &key("a-1")).await.unwrap(), Some(index(1)));
        assert_eq!(journal.lookup(&name, &key("b-0")).await.unwrap(), None);
    }
    append(&store.there, &lease, 1, "b").await.unwrap();
    assert_eq!(store.here.lookup(&name, &key("b-0")).await.unwrap(), Some(index(2)));
    assert_eq!(store.here.lookup(&stream("no"), &key("b-0")).await.unwrap(), None);
    store.there.delete(lease).await.unwrap();
    assert_eq!(store.here.lookup(&name, &key("b-0")).await.unwrap(), None);
}

pub(super) async fn pins_are_listed_without_events<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("pins");
    let pin = |plan: &str| SnapshotRef::new(sample_snapshot(&format!("{name}-{plan}")).digest());
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    append(&store.here, &lease, 1, "none").await.unwrap();
    append(&store.here, &lease, 2, "b").await.unwrap();
    let pins = store.there.pins(&name, None).await.unwrap();
    if !store.has_pins {
        assert!(pins.snapshots.is_empty());
        return;
    }
    assert_eq!(pins.snapshots, [pin("a"), pin("b")]);
    append(&store.here, &lease, 2, "c").await.unwrap();
    let later = store.there.pins(&name, Some(&pins.cursor)).await.unwrap();
    assert!(later.snapshots.ends_with(&[pin("c")]));
    assert!(!later.snapshots.contains(&pin("a")), "only what came since");
}

pub(super) async fn control_records_attest_every_plan<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("records");
    let lease = store.here.lease(&name).await.unwrap();
    let missing = store.there.records(&name).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    append(&store.here, &lease, 2, "a").await.unwrap();
    append(&store.here, &lease, 1, "b").await.unwrap();
    let records = store.there.records(&name).await.unwrap();
    if !store.has_pins {
        assert!(records.is_empty());
        return;
    }
    let events = store.there.load(&name).await.unwrap().events;
    let close = |first: usize, last: usize, at: u64| {
        let mut lines = Vec::new();
        for event in &events[first..=last] {
            canonical::encode_into(event, &mut lines).unwrap();
            lines.push(b'\n');
        }
        let (first, last) = (index(first as u64), index(last as u64));
        Record::SegmentClosed(SegmentClosed {
            v: 1,
            manifest_index: ManifestIndex::new(at).unwrap(),
            session_id: name.clone(),
            first_event_index: first,
            last_event_index: last,
            segment_rel_path: segment_path(first, last),
            sha256: Digest::of(&FileBytes(&lines)),
            bytes: lines.len() as u64,
        })
    };
    let pin = Record::SnapshotPinned(SnapshotPinned {
        v: 1,
        manifest_index: ManifestIndex::new(1).unwrap(),
        session_id: name.clone(),
        event_index: index(1),
        snapshot_ref: SnapshotRef::new(sample_snapshot(&format!("{name}-a")).digest()),
        created_by_event_id: events[1].event_id,
    });
    assert_eq!(records, [close(0, 1, 0), pin, close(2, 2, 2)]);
    drop(lease);
    store.here.delete(store.here.lease(&name).await.unwrap()).await.unwrap();
    assert!(store.there.records(&name).await.is_err());
}
