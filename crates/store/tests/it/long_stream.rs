//! A stream that is so long that several threads read it.

use std::path::Path;

use piton_store::bounds::SEGMENTS_PARALLEL_MIN;
use piton_store::port::{Journal, JournalReader};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{Sample, SimDisk};
use piton_store::{Error, Event as _, StreamId};

use crate::site::{SESSION, block_on, sessions};

#[test]
fn events_of_a_long_stream_come_in_order_and_damage_is_found_at_its_place() {
    let (disk, stream) = (SimDisk::new(), SESSION.parse::<StreamId>().unwrap());
    let plans = 2 * SEGMENTS_PARALLEL_MIN as u64 + 1;
    block_on(async {
        let journal = sessions(&disk);
        let lease = journal.lease(&stream).await.unwrap();
        for plan in 0..plans {
            append(&journal, &lease, 2, &format!("plan-{plan}")).await.unwrap();
        }
    });
    let events: Vec<Sample> = block_on(sessions(&disk).load(&stream)).unwrap().events;
    let indexes: Vec<u64> = events.iter().map(|event| event.index().get()).collect();
    assert_eq!(indexes, (0..2 * plans).collect::<Vec<_>>());

    // A segment in the part that another thread reads.
    let first = 2 * (plans - 100);
    let segment = format!("events/{first:08}-{:08}.jsonl", first + 1);
    let segment = Path::new("/sessions").join(SESSION).join(segment);
    disk.damage(&segment, |bytes| bytes[0] = b'!');
    let refused = block_on(sessions(&disk).load(&stream)).unwrap_err();
    assert!(matches!(refused, Error::NotHealthy { .. }), "{refused:?}");
    let prefix = block_on(sessions(&disk).load_validated_prefix(&stream)).unwrap();
    assert_eq!(prefix.events, events[..usize::try_from(first).unwrap()]);
}
