//! The promise of [`Journal`].

mod reading;
mod streams;
mod writing;

use std::sync::Arc;

use piton_core::EventIndex;

use crate::{
    Error, StreamId,
    port::{Appended, Blobs, Journal, StreamLease},
    testing::{Sample, sample_plan},
};

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

/// Runs every case, each on a new store. Its clock must run.
pub async fn suite<J: Journal<Sample>>(make: impl Fn() -> TwoProcesses<J>) {
    writing::a_stream_begins_at_zero_and_keeps_its_order(make()).await;
    streams::a_stream_that_was_never_written_does_not_exist(make()).await;
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
    streams::a_stream_is_young_when_it_was_just_written(make()).await;
    writing::blobs_are_there_when_their_plan_is(make()).await;
    streams::a_deleted_stream_is_gone_and_its_name_free(make()).await;
    writing::a_lease_of_another_journal_is_refused(make(), make()).await;
    streams::a_sound_stream_needs_no_repair(make()).await;
}
