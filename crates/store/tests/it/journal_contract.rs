//! Every journal runs the one suite.

use std::sync::Arc;

use piton_core::port::TimestampMs;
use piton_core::port::fixed::ManualClock;
use piton_store::{
    local::{DataDir, LogJournal, SegmentedJournal, disk::Disk},
    memory::{MemoryBlobs, MemoryJournal},
    testing::{
        SimDisk,
        contract::journal::{Shared, suite},
    },
};

use crate::site::{block_on, data_dir, shared};

// shows: WR-055, WR-061, WR-064, WR-069, WR-087, WR-098
#[test]
fn the_journal_in_memory_keeps_the_promise() {
    block_on(suite(|| {
        let blobs = MemoryBlobs::new(Arc::new(ManualClock::new(TimestampMs(0))));
        let here = MemoryJournal::new(blobs.clone());
        Shared { there: here.clone(), here, blobs: Arc::new(blobs), has_pins: true }
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
