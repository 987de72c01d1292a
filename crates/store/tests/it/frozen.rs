//! What version 1 wrote is read by every later version.
//!
//! `data/v1` was written once and is never written again. If a change of the code makes these
//! tests fail, the format has changed: it needs a new version and a migration.

use std::{fs, path::Path};

use piton_core::{DedupeKey, EventIndex, port::Entropy};
use piton_store::{
    StreamId,
    local::{DataDir, LocalKeyRing, LogJournal, SegmentedJournal},
    port::{Journal, KeyAge, KeyRing},
    testing::Sample,
};

use crate::site::{SESSION, block_on, open};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A copy of the frozen data directory.
fn frozen() -> (tempfile::TempDir, DataDir) {
    let root = tempfile::tempdir().unwrap();
    copy(Path::new("tests/it/data/v1"), root.path());
    let dir = DataDir::open(root.path()).unwrap();
    (root, dir)
}

/// Entropy that must not be needed.
struct NoEntropy;

impl Entropy for NoEntropy {
    fn fill(&self, _: &mut [u8]) {
        panic!("nothing new is made here");
    }
}

fn check<J: Journal<Sample>>(journal: &J) {
    let name: StreamId = SESSION.parse().unwrap();
    let loaded = block_on(journal.load(&name)).unwrap();
    let texts: Vec<&str> = loaded.events.iter().map(|event| event.text.as_str()).collect();
    let facts = ["a-0", "a-1", "a-2", "b-0", "c-0", "c-1"];
    assert_eq!(texts, facts.map(|fact| format!("what happened: {fact}")));
    let key = DedupeKey::new("sample", &[&name, &"c-1"]).unwrap();
    assert_eq!(block_on(journal.lookup(&name, &key)).unwrap().map(EventIndex::get), Some(5));
    let lease = block_on(journal.lease(&name)).unwrap();
    assert_eq!(lease.next_event().get(), 6);
}

// shows: WR-043, WR-044
#[test]
fn a_session_of_version_1_still_loads() {
    let (_root, dir) = frozen();
    check(&open(dir, SegmentedJournal::sessions));
}

// shows: WR-044
#[test]
fn a_log_of_version_1_still_loads() {
    let (_root, dir) = frozen();
    check(&open(dir, LogJournal::backpacks));
}

// shows: WR-044
#[test]
fn a_key_ring_of_version_1_still_verifies() {
    let (_root, dir) = frozen();
    let ring = LocalKeyRing::new(dir, std::sync::Arc::new(NoEntropy));
    let signature = fs::read("tests/it/data/v1-signature").unwrap();
    let verified = block_on(ring.verify(b"frozen", &signature)).unwrap();
    assert_eq!(verified, Some(KeyAge::Current));
}

// shows: WR-044
#[cfg(feature = "schema")]
#[test]
fn no_field_of_a_control_record_became_required() {
    let schema = schemars::schema_for!(piton_store::record::SegmentClosed);
    let mut required: Vec<&str> = schema
        .get("required")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|f| f.as_str())
        .collect();
    required.sort_unstable();
    let fields = [
        "bytes",
        "firstEventIndex",
        "lastEventIndex",
        "manifestIndex",
        "segmentRelPath",
        "sessionId",
        "sha256",
        "v",
    ];
    assert_eq!(required, fields);
}
