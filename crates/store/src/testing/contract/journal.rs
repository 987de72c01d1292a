//! What every journal must do.

use std::{sync::Arc, time::Duration};

use piton_core::{
    DedupeKey, Digest, EventIndex, FileBytes, ManifestIndex, SnapshotRef, canonical,
    port::fixed::SeededEntropy,
};

use crate::{
    AppendPlan, Error, Event, Health, PlanProblem, StreamId,
    bounds::PLAN_EVENTS_MAX,
    port::{Appended, Blobs, Cursor, Follow, Journal, Namespace, StreamLease},
    record::{Record, SegmentClosed, SnapshotPinned, segment_path},
    testing::{Sample, sample_plan, sample_snapshot},
};

/// One store as two processes see it.
pub struct Shared<J> {
    /// One process's journal.
    pub here: J,
    /// The other's.
    pub there: J,
    /// The blobs that plans bring along.
    pub blobs: Arc<dyn Blobs>,
    /// Whether it has control records that pin snapshots; otherwise roots are its owner's to know.
    pub has_pins: bool,
}

fn stream(name: &str) -> StreamId {
    name.parse().unwrap()
}

fn index(value: u64) -> EventIndex {
    EventIndex::new(value).unwrap()
}

/// Appends a plan of `events` events named `name` at the end of the stream.
pub async fn append<J: Journal<Sample>>(
    journal: &J,
    lease: &StreamLease,
    events: u64,
    name: &str,
) -> Result<Appended, Error> {
    let plan = sample_plan(lease.stream(), lease.next_event().get(), events, name);
    journal.append(&lease.writer(), plan).await
}

async fn texts<J: Journal<Sample>>(journal: &J, stream: &StreamId) -> Vec<String> {
    let loaded = journal.load(stream).await.unwrap();
    for (place, event) in loaded.events.iter().enumerate() {
        assert_eq!(event.event_index.get(), place as u64);
    }
    loaded.events.into_iter().map(|event| event.text).collect()
}

/// Runs every case, each on a new store.
pub async fn suite<J: Journal<Sample>>(make: impl Fn() -> Shared<J>) {
    a_stream_begins_at_zero_and_keeps_its_order(make()).await;
    a_stream_that_was_never_written_does_not_exist(make()).await;
    a_repeated_plan_changes_nothing(make()).await;
    a_plan_that_breaks_a_rule_changes_nothing(make()).await;
    a_second_writer_is_refused_at_once(make()).await;
    plans_are_written_in_the_order_of_the_calls(make()).await;
    an_append_ends_without_its_caller(make()).await;
    a_reader_follows_what_another_process_writes(make()).await;
    a_writer_knows_where_a_reader_of_its_plans_would_stand(make()).await;
    a_lookup_finds_what_another_process_wrote(make()).await;
    pins_are_listed_without_events(make()).await;
    control_records_attest_every_plan(make()).await;
    a_stream_is_young_when_it_was_just_written(make()).await;
    blobs_are_there_when_their_plan_is(make()).await;
    a_deleted_stream_is_gone_and_its_name_free(make()).await;
    a_lease_of_another_journal_is_refused(make(), make()).await;
    a_sound_stream_needs_no_repair(make()).await;
}

async fn a_stream_begins_at_zero_and_keeps_its_order<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("order");
    let lease = store.here.lease(&name).await.unwrap();
    assert_eq!(lease.next_event(), EventIndex::ZERO);
    let done = append(&store.here, &lease, 3, "a").await.unwrap();
    assert_eq!(done, Appended::Committed { first: index(0), last: index(2) });
    let done = append(&store.here, &lease, 1, "b").await.unwrap();
    assert_eq!(done, Appended::Committed { first: index(3), last: index(3) });
    assert_eq!(lease.next_event(), index(4));
    let first_epoch = lease.epoch();
    drop(lease);
    for journal in [&store.here, &store.there] {
        let expected = ["a-0", "a-1", "a-2", "b-0"].map(|fact| format!("what happened: {fact}"));
        assert_eq!(texts(journal, &name).await, expected);
    }
    let again = store.there.lease(&name).await.unwrap();
    assert!(again.epoch() > first_epoch, "an epoch only grows");
    assert_eq!(again.next_event(), index(4));
}

async fn a_stream_that_was_never_written_does_not_exist<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("nothing");
    let missing = |error: Error| matches!(error, Error::NotFound { .. });
    assert!(missing(store.here.load(&name).await.unwrap_err()));
    assert!(missing(store.here.load_validated_prefix(&name).await.unwrap_err()));
    assert!(missing(store.here.verify(&name).await.unwrap_err()));
    assert!(missing(store.here.repair(&name).await.unwrap_err()));
    drop(store.here.lease(&name).await.unwrap());
    assert!(missing(store.here.load(&name).await.unwrap_err()));
    assert!(store.here.streams().await.unwrap().is_empty());
}

async fn a_repeated_plan_changes_nothing<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("replay");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    append(&store.here, &lease, 2, "b").await.unwrap();
    let before = texts(&store.here, &name).await;
    // The indices of a retried plan may be stale or fresh; its facts decide.
    for first in [0, 4] {
        let plan = sample_plan(&name, first, 2, "a");
        let done = store.here.append(&lease.writer(), plan).await.unwrap();
        assert_eq!(done, Appended::AlreadyPresent { indices: vec![index(0), index(1)] });
    }
    drop(lease);
    let lease = store.there.lease(&name).await.unwrap();
    let done = store.there.append(&lease.writer(), sample_plan(&name, 4, 2, "b")).await.unwrap();
    assert_eq!(done, Appended::AlreadyPresent { indices: vec![index(2), index(3)] });
    assert_eq!(texts(&store.here, &name).await, before);
    assert_eq!(lease.next_event(), index(4));
}

/// Events that make no plan, and what is wrong with them.
type RefusedPlan = (Vec<Sample>, fn(&PlanProblem) -> bool);

async fn a_plan_that_breaks_a_rule_changes_nothing<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("rules");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    let entropy = SeededEntropy::new(1);
    let event = |at: u64, fact: &str| Sample::new(&name, at, fact, &entropy);
    let elsewhere = Sample::new(&stream("elsewhere"), 2, "x", &entropy);
    let twin = event(2, "twin");
    let other_key = DedupeKey::new("sample", &[&"other"]).unwrap();
    let same_id = Sample { event_index: index(3), dedupe_key: other_key, ..twin.clone() };
    let crowd = |count: usize| (0..count as u64).map(|n| event(2 + n, &format!("c{n}"))).collect();
    let refused: [RefusedPlan; 8] = [
        (vec![], |problem| matches!(problem, PlanProblem::Empty)),
        (vec![event(3, "late")], |problem| matches!(problem, PlanProblem::IndexOutOfOrder { .. })),
        (vec![event(1, "early")], |problem| matches!(problem, PlanProblem::IndexOutOfOrder { .. })),
        (vec![event(2, "x"), event(4, "y")], |problem| {
            matches!(problem, PlanProblem::IndexOutOfOrder { .. })
        }),
        (vec![elsewhere], |problem| matches!(problem, PlanProblem::ForeignEvent { .. })),
        (vec![event(2, "x"), event(3, "x")], |problem| {
            matches!(problem, PlanProblem::Repeated { .. })
        }),
        (vec![twin, same_id], |problem| matches!(problem, PlanProblem::Repeated { .. })),
        (crowd(PLAN_EVENTS_MAX + 1), |problem| matches!(problem, PlanProblem::TooLarge { .. })),
    ];
    for (number, (events, expected)) in refused.into_iter().enumerate() {
        let error = store.here.append(&lease.writer(), AppendPlan::new(events)).await.unwrap_err();
        let Error::PlanRefused { problem, .. } = error else { panic!("case {number}: {error}") };
        assert!(expected(&problem), "case {number}: {problem}");
    }
    let mixed = vec![event(2, "a-0"), event(3, "new")];
    let error = store.here.append(&lease.writer(), AppendPlan::new(mixed)).await.unwrap_err();
    let Error::PlanRefused { problem, .. } = error else { panic!("{error}") };
    assert_eq!(problem, PlanProblem::PartlyPresent { present: 1, events: 2 });
    assert_eq!(texts(&store.there, &name).await.len(), 2);
    // A refusal does not end the lease.
    append(&store.here, &lease, 1, "after").await.unwrap();
    let full: Vec<Sample> =
        (0..PLAN_EVENTS_MAX as u64).map(|n| event(3 + n, &format!("f{n}"))).collect();
    store.here.append(&lease.writer(), AppendPlan::new(full)).await.unwrap();
}

async fn a_second_writer_is_refused_at_once<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("fight");
    let lease = store.here.lease(&name).await.unwrap();
    for journal in [&store.here, &store.there] {
        let error = journal.lease(&name).await.unwrap_err();
        assert!(matches!(error, Error::Locked { .. }), "{error}");
    }
    // Another stream is free, and reading is not kept out.
    append(&store.here, &lease, 1, "a").await.unwrap();
    drop(store.there.lease(&stream("other")).await.unwrap());
    assert_eq!(texts(&store.there, &name).await.len(), 1);
    drop(lease);
    drop(store.there.lease(&name).await.unwrap());
    drop(store.here.lease(&name).await.unwrap());
}

async fn plans_are_written_in_the_order_of_the_calls<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("queue");
    let lease = store.here.lease(&name).await.unwrap();
    let waiting: Vec<_> = (0..20)
        .map(|number| {
            let plan = sample_plan(&name, number * 2, 2, &format!("p{number}"));
            store.here.append(&lease.writer(), plan)
        })
        .collect();
    for (number, append) in waiting.into_iter().enumerate().rev() {
        let first = index(number as u64 * 2);
        assert_eq!(append.await.unwrap(), Appended::Committed { first, last: first.next() });
    }
    assert_eq!(texts(&store.there, &name).await.len(), 40);
}

async fn an_append_ends_without_its_caller<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("cancelled");
    let lease = store.here.lease(&name).await.unwrap();
    drop(store.here.append(&lease.writer(), sample_plan(&name, 0, 3, "a")));
    drop(lease);
    // The lock is free only when the write has ended.
    let lease = loop {
        match store.there.lease(&name).await {
            Ok(lease) => break lease,
            Err(Error::Locked { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    };
    let replay = store.there.append(&lease.writer(), sample_plan(&name, 0, 3, "a")).await.unwrap();
    let indices = (0..3).map(index).collect();
    assert_eq!(replay, Appended::AlreadyPresent { indices });
}

async fn a_reader_follows_what_another_process_writes<J: Journal<Sample>>(store: Shared<J>) {
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

async fn a_writer_knows_where_a_reader_of_its_plans_would_stand<J: Journal<Sample>>(
    store: Shared<J>,
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

async fn a_lookup_finds_what_another_process_wrote<J: Journal<Sample>>(store: Shared<J>) {
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

async fn pins_are_listed_without_events<J: Journal<Sample>>(store: Shared<J>) {
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

async fn control_records_attest_every_plan<J: Journal<Sample>>(store: Shared<J>) {
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

async fn a_stream_is_young_when_it_was_just_written<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("young");
    let lease = store.here.lease(&name).await.unwrap();
    let missing = store.there.age(&name).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    append(&store.here, &lease, 1, "a").await.unwrap();
    assert!(store.there.age(&name).await.unwrap() < Duration::from_hours(1));
}

async fn blobs_are_there_when_their_plan_is<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("blobs");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    let snapshot = sample_snapshot("blobs-a");
    let stored = store.blobs.get(Namespace::Snapshots, snapshot.digest()).await.unwrap();
    assert_eq!(stored.as_deref(), Some(snapshot.bytes()));
    let entropy = SeededEntropy::new(9);
    let pinning = |at: u64, fact: &str, snapshot: &str| Sample {
        snapshot_ref: Some(SnapshotRef::new(sample_snapshot(snapshot).digest())),
        ..Sample::new(&name, at, fact, &entropy)
    };
    // What is stored may be pinned again without being sent; what is not stored may not.
    let plan = AppendPlan::new(vec![pinning(2, "again", "blobs-a")]);
    store.here.append(&lease.writer(), plan).await.unwrap();
    let plan = AppendPlan::new(vec![pinning(3, "lost", "never-stored")]);
    let error = store.here.append(&lease.writer(), plan).await.unwrap_err();
    assert!(matches!(error, Error::BlobMissing { .. }), "{error}");
    assert_eq!(texts(&store.there, &name).await.len(), 3);
}

async fn a_deleted_stream_is_gone_and_its_name_free<J: Journal<Sample>>(store: Shared<J>) {
    let (name, other) = (stream("deleted"), stream("kept"));
    for name in [&name, &other] {
        let lease = store.here.lease(name).await.unwrap();
        append(&store.here, &lease, 2, "a").await.unwrap();
    }
    assert_eq!(store.there.streams().await.unwrap(), [name.clone(), other.clone()]);
    assert_eq!(texts(&store.there, &name).await.len(), 2);
    store.here.delete(store.here.lease(&name).await.unwrap()).await.unwrap();
    for journal in [&store.here, &store.there] {
        assert!(matches!(journal.load(&name).await.unwrap_err(), Error::NotFound { .. }));
        assert_eq!(journal.streams().await.unwrap(), std::slice::from_ref(&other));
    }
    let lease = store.there.lease(&name).await.unwrap();
    assert_eq!(lease.next_event(), EventIndex::ZERO);
    append(&store.there, &lease, 1, "a").await.unwrap();
    assert_eq!(texts(&store.here, &name).await.len(), 1);
}

async fn a_lease_of_another_journal_is_refused<J: Journal<Sample>>(one: Shared<J>, two: Shared<J>) {
    let name = stream("foreign");
    let lease = one.here.lease(&name).await.unwrap();
    let plan = sample_plan(&name, 0, 1, "a");
    let error = two.here.append(&lease.writer(), plan).await.unwrap_err();
    assert!(matches!(error, Error::ForeignLease { .. }), "{error}");
    assert!(matches!(two.here.load(&name).await.unwrap_err(), Error::NotFound { .. }));
    append(&two.here, &two.here.lease(&name).await.unwrap(), 1, "a").await.unwrap();
    let error = two.here.delete(lease).await.unwrap_err();
    assert!(matches!(error, Error::ForeignLease { .. }), "{error}");
    assert_eq!(texts(&two.there, &name).await.len(), 1);
}

async fn a_sound_stream_needs_no_repair<J: Journal<Sample>>(store: Shared<J>) {
    let name = stream("sound");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 4, "a").await.unwrap();
    drop(lease);
    let salvaged = store.there.load_validated_prefix(&name).await.unwrap();
    assert_eq!((salvaged.events.len(), salvaged.health), (4, Health::Healthy));
    let verified = store.there.verify(&name).await.unwrap();
    assert_eq!((verified.events, &verified.health), (4, &Health::Healthy));
    assert!(!verified.mark_lifted && verified.torn_tail.is_none());
    let repaired = store.there.repair(&name).await.unwrap();
    assert_eq!((repaired.was, repaired.backup), (Health::Healthy, None));
    assert_eq!(texts(&store.here, &name).await.len(), 4);
}
