//! Files of a data directory, as a damaged medium could return them: read, checked and repaired without a panic.
//!
//! The file that is tried replaces one of a healthy stream on a simulated disk, so that what stands beside it is whole.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use piton_core::port::NoTrace;
use piton_store::StreamId;
use piton_store::local::disk::Disk;
use piton_store::local::{
    DataDir, LocalBlobs, LocalKeyRing, LocalLeases, LogJournal, SegmentedJournal, SystemClock,
    SystemEntropy,
};
use piton_store::port::{Journal, KeyRing};
use piton_store::testing::{Sample, SimDisk, contract::journal::append};

use crate::messages::block_on;

type Open<J> = fn(DataDir, LocalBlobs, LocalLeases, Arc<dyn piton_core::port::Trace>) -> J;

fn dir(disk: &SimDisk) -> DataDir {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    DataDir::on(disk, Path::new("/")).expect("a simulated disk takes a data directory")
}

fn journal<J>(disk: &SimDisk, layout: Open<J>) -> J {
    let dir = dir(disk);
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
    layout(dir.clone(), LocalBlobs::new(dir), leases, Arc::new(NoTrace))
}

fn name() -> StreamId {
    "sess_a".parse().expect("it is a name")
}

/// A disk with a stream of three plans.
fn healthy<J: Journal<Sample>>(layout: Open<J>) -> SimDisk {
    let disk = SimDisk::new();
    let journal = journal(&disk, layout);
    block_on(async {
        let lease = journal.lease(&name()).await.expect("the disk is healthy");
        for (plan, events) in [("a", 3), ("b", 1), ("c", 2)] {
            append(&journal, &lease, events, plan).await.expect("the disk is healthy");
        }
    });
    disk
}

/// Puts `bytes` in the place of the last file whose name ends so, and asks for everything that a journal answers.
fn damaged<J: Journal<Sample>>(start: &SimDisk, layout: Open<J>, ending: &str, bytes: &[u8]) {
    let disk = start.fork();
    let files = disk.contents();
    let is_meant = |path: &&PathBuf| path.to_string_lossy().ends_with(ending);
    let path = files.keys().filter(is_meant).next_back().expect("a healthy stream has one");
    disk.damage(path, |held| *held = bytes.to_vec());
    let (journal, stream) = (journal(&disk, layout), name());
    block_on(async {
        let _ = journal.load(&stream).await;
        let _ = journal.load_validated_prefix(&stream).await;
        let _ = journal.verify(&stream).await;
        let _ = journal.repair(&stream).await;
        let _ = journal.load(&stream).await;
    });
}

/// The control file of a session.
pub(crate) fn manifest(bytes: &[u8]) {
    static START: LazyLock<SimDisk> = LazyLock::new(|| healthy(SegmentedJournal::sessions));
    damaged(&START, SegmentedJournal::sessions, "manifest.jsonl", bytes);
}

/// A segment of a session.
pub(crate) fn segment(bytes: &[u8]) {
    static START: LazyLock<SimDisk> = LazyLock::new(|| healthy(SegmentedJournal::sessions));
    damaged(&START, SegmentedJournal::sessions, ".jsonl", bytes);
}

/// The log of a backpack.
pub(crate) fn log(bytes: &[u8]) {
    static START: LazyLock<SimDisk> = LazyLock::new(|| healthy(LogJournal::backpacks));
    damaged(&START, LogJournal::backpacks, "/log", bytes);
}

/// The key ring.
pub(crate) fn keyring(bytes: &[u8]) {
    static START: LazyLock<SimDisk> = LazyLock::new(|| {
        let disk = SimDisk::new();
        let ring = LocalKeyRing::new(dir(&disk), Arc::new(SystemEntropy));
        block_on(ring.sign(b"x")).expect("the disk is healthy");
        disk
    });
    let disk = START.fork();
    disk.damage(Path::new("/keys/keyring.json"), |held| *held = bytes.to_vec());
    let ring = LocalKeyRing::new(dir(&disk), Arc::new(SystemEntropy));
    block_on(async {
        let _ = ring.verify(b"x", &[0; 32]).await;
        let _ = ring.sign(b"x").await;
        let _ = ring.rotate().await;
    });
}
