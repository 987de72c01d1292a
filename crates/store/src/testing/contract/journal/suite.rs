//! The promise of [`Journal`]: the cases, and those about whole streams.

use std::sync::Arc;
use std::time::Duration;

use piton_core::EventIndex;

use super::{reading, writing};
use crate::port::{Appended, Blobs, Journal, StreamLease};
use crate::testing::{Sample, sample_plan};
use crate::{Error, Health, StreamId};

/// One store as two processes see it.
pub struct TwoProcesses<J> {
    /// Journal of one process.
    pub here: J,
    /// Journal of the other process.
    pub there: J,
    /// Store for the blobs that plans bring along.
    pub blobs: Arc<dyn Blobs>,
    /// Set when the journal has control records that pin snapshots; otherwise only its owner knows the roots.
    pub has_pins: bool,
}

pub(super) fn stream(name: &str) -> StreamId {
    name.parse().unwrap()
}

pub(super) fn index(value: u64) -> EventIndex {
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

pub(super) async fn texts<J: Journal<Sample>>(journal: &J, stream: &StreamId) -> Vec<String> {
    let loaded = journal.load(stream).await.unwrap();
    for (place, event) in loaded.events.iter().enumerate() {
        assert_eq!(event.event_index.get(), place as u64);
    }
    loaded.events.into_iter().map(|event| event.text).collect()
}

/// Runs every case, each on a new store. Its clock must run.
pub async fn suite<J: Journal<Sample>>(make: impl Fn() -> TwoProcesses<J>) {
    writing::a_stream_begins_at_zero_and_keeps_its_order(make()).await;
    a_stream_that_was_never_written_does_not_exist(make()).await;
    writing::a_repeated_plan_changes_nothing(make()).await;
    writing::a_plan_that_breaks_a_rule_changes_nothing(make()).await;
    writing::a_second_writer_is_refused_at_once(make()).await;
    writing::a_writer_with_patience_waits_for_its_turn(make()).await;
    writing::plans_are_written_in_the_order_of_the_calls(make()).await;
    writing::an_append_ends_without_its_caller(make()).await;
    reading::a_reader_follows_what_another_process_writes(make()).await;
    reading::a_writer_knows_where_a_reader_of_its_plans_would_stand(make()).await;
    reading::a_lookup_finds_what_another_process_wrote(make()).await;
    reading::pins_are_listed_without_events(make()).await;
    reading::control_records_attest_every_plan(make()).await;
    a_stream_is_young_when_it_was_just_written(make()).await;
    writing::blobs_are_there_when_their_plan_is(make()).await;
    a_deleted_stream_is_gone_and_its_name_free(make()).await;
    writing::a_lease_of_another_journal_is_refused(make(), make()).await;
    a_sound_stream_needs_no_repair(make()).await;
}

async fn a_stream_that_was_never_written_does_not_exist<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
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

async fn a_stream_is_young_when_it_was_just_written<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("young");
    let lease = store.here.lease(&name).await.unwrap();
    let missing = store.there.age(&name).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    append(&store.here, &lease, 1, "a").await.unwrap();
    assert!(store.there.age(&name).await.unwrap() < Duration::from_hours(1));
}

async fn a_deleted_stream_is_gone_and_its_name_free<J: Journal<Sample>>(store: TwoProcesses<J>) {
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

async fn a_sound_stream_needs_no_repair<J: Journal<Sample>>(store: TwoProcesses<J>) {
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
    assert_eq!(store.there.set_aside(None).await.unwrap(), []);
    assert_eq!(store.there.digests_set_aside().await.unwrap(), []);
    assert_eq!(texts(&store.here, &name).await.len(), 4);
}
