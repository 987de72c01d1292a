//! Every journal runs the one suite.

use std::{path::Path, sync::Arc, time::Duration};

use piton_core::port::fixed::ManualClock;
use piton_core::port::{Clock, TimestampMs};
use piton_store::{
    Error,
    local::{DataDir, LogJournal, SegmentedJournal, SystemClock, disk::Disk},
    memory::{MemoryBlobs, MemoryJournal},
    port::{Journal, JournalReader},
    testing::{
        Sample, SimDisk,
        contract::journal::{TwoProcesses, append, suite},
        sample_plan,
    },
};

use crate::site::{SESSION, block_on, data_dir, sessions, shared};

// shows: WR-055, WR-061, WR-064, WR-069, WR-087, WR-098
#[test]
fn the_journal_in_memory_keeps_the_promise() {
    block_on(suite(|| {
        let blobs = MemoryBlobs::new(Arc::new(SystemClock));
        let here = MemoryJournal::new(blobs.clone());
        TwoProcesses { there: here.clone(), here, blobs: Arc::new(blobs), has_pins: true }
    }));
}

// shows: WR-055, WR-061, WR-064, WR-069, WR-087, WR-098
#[test]
fn the_segmented_journal_keeps_the_promise_on_a_simulated_disk() {
    block_on(suite(|| {
        let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
        shared(&data_dir(&disk), SegmentedJournal::sessions, true)
    }));
}

#[test]
fn the_log_journal_keeps_the_promise_on_a_simulated_disk() {
    block_on(suite(|| {
        let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
        shared(&data_dir(&disk), LogJournal::backpacks, false)
    }));
}

#[test]
fn the_segmented_journal_keeps_the_promise_on_a_real_disk() {
    let root = tempfile::tempdir().unwrap();
    let next = std::cell::Cell::new(0);
    block_on(suite(|| {
        next.set(next.get() + 1);
        let dir = DataDir::open(&root.path().join(next.get().to_string())).unwrap();
        shared(&dir, SegmentedJournal::sessions, true)
    }));
}

#[test]
fn the_log_journal_keeps_the_promise_on_a_real_disk() {
    let root = tempfile::tempdir().unwrap();
    let next = std::cell::Cell::new(0);
    block_on(suite(|| {
        next.set(next.get() + 1);
        let dir = DataDir::open(&root.path().join(next.get().to_string())).unwrap();
        shared(&dir, LogJournal::backpacks, false)
    }));
}

#[test]
fn the_age_of_a_stream_is_counted_from_its_newest_plan() {
    let (name, day) = (SESSION.parse().unwrap(), Duration::from_hours(24));
    let disk = SimDisk::new();
    let on_disk = sessions(&disk);
    let clock = Arc::new(ManualClock::new(TimestampMs(0)));
    let in_memory = MemoryJournal::new(MemoryBlobs::new(Arc::clone(&clock) as Arc<dyn Clock>));
    let journals: [(&dyn Journal<Sample>, &dyn Fn()); 2] =
        [(&on_disk, &|| disk.advance(day)), (&in_memory, &|| clock.advance(day))];
    for (journal, pass_a_day) in journals {
        block_on(async {
            for plan in 0..2 {
                let lease = journal.lease(&name).await.unwrap();
                let plan = sample_plan(&name, plan * 2, 2, &format!("p{plan}"));
                journal.append(&lease.writer(), plan).await.unwrap();
                drop(lease);
                assert_eq!(journal.age(&name).await.unwrap(), Duration::ZERO);
                pass_a_day();
                // Reading and leasing do not make it younger.
                journal.load(&name).await.unwrap();
                drop(journal.lease(&name).await.unwrap());
                assert_eq!(journal.age(&name).await.unwrap(), day);
            }
        });
    }
}

#[test]
fn damaged_control_records_are_not_handed_out() {
    let disk = SimDisk::new();
    let journal = sessions(&disk);
    let name = SESSION.parse().unwrap();
    block_on(async {
        let lease = journal.lease(&name).await.unwrap();
        append(&journal, &lease, 2, "a").await.unwrap();
        append(&journal, &lease, 2, "b").await.unwrap();
        drop(lease);
        let manifest = format!("/sessions/{SESSION}/manifest.jsonl");
        disk.damage(Path::new(&manifest), |bytes| bytes[0] = b'[');
        let error = journal.records(&name).await.unwrap_err();
        assert!(matches!(error, Error::NotHealthy { .. }), "{error}");
    });
}
