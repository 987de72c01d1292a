//! What version 1 wrote is read by every later version.
//!
//! `data/v1` was written once and is never written again. If a change of the code makes these
//! tests fail, the format has changed: it needs a new version and a migration.

use std::fs;
use std::path::Path;

use piton_core::port::Entropy;
use piton_core::{Code, DedupeKey, EventIndex};
use piton_store::StreamId;
use piton_store::local::{
    DataDir, LocalKeyRing, LocalTable, LogJournal, SegmentedJournal, repair_table,
};
use piton_store::port::{EntryChange, Expect, Journal, KeyAge, KeyRing, Table as _, TableWrite};
use piton_store::testing::Sample;

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
#[test]
fn a_table_of_version_1_is_read_and_written_with_checksums_from_then_on() {
    let (root, dir) = frozen();
    let name = "test".parse().unwrap();
    let table = LocalTable::open(&dir, &name).unwrap();
    let value = |key: &'static [u8]| block_on(table.get(key)).unwrap().map(|entry| entry.value);
    assert_eq!(value(b"a"), Some(b"first".to_vec()));
    let second = block_on(table.get(b"b")).unwrap().unwrap();
    assert_eq!((second.value.as_slice(), second.version.0), (&b"second"[..], 3));
    let change = EntryChange::Put(b"changed".to_vec());
    let write = TableWrite { key: (*b"b").into(), expect: Expect::Version(second.version), change };
    assert_eq!(block_on(table.commit(vec![write])).unwrap().0, 4);
    assert_eq!(value(b"b"), Some(b"changed".to_vec()));
    assert_eq!(block_on(table.status()).unwrap().problems, Vec::<String>::new());
    // What a process of the older Piton, which still runs, would write fails.
    let raw = rusqlite::Connection::open(root.path().join("table.sqlite3")).unwrap();
    let update = "UPDATE entries SET value = x'00', version = 5 WHERE key = x'62'";
    assert!(raw.execute(update, []).is_err());
    let sums = "SELECT count(checksum) FROM entries";
    assert_eq!(raw.query_row(sums, [], |row| row.get(0)), Ok(1), "of the row that was written");
}

#[test]
fn a_table_of_version_1_with_a_damaged_row_opens_and_can_be_repaired() {
    let (_root, dir) = frozen();
    let mut bytes = fs::read(dir.table()).unwrap();
    // The types of a row's table, key and value: a text of 4 bytes, and blobs of 1 and 6. The last becomes a text.
    let at = bytes.windows(3).position(|types| types == [0x15, 0x0e, 0x18]).unwrap();
    bytes[at + 2] ^= 1;
    fs::write(dir.table(), bytes).unwrap();
    let name = "test".parse().unwrap();
    let table = LocalTable::open(&dir, &name).unwrap();
    let refused = block_on(table.get(b"a")).unwrap_err();
    assert_eq!(refused.code(), Code::StoreTableDamaged, "{refused}");
    let refused = block_on(table.status()).unwrap_err();
    assert_eq!(refused.code(), Code::StoreTableDamaged, "{refused}");
    drop(table);
    let repaired = repair_table(&dir).unwrap();
    assert_eq!((repaired.kept, repaired.gaps), (1, 1), "{repaired:?}");
    let table = LocalTable::open(&dir, &name).unwrap();
    assert_eq!(block_on(table.get(b"a")).unwrap().unwrap().value, b"first");
    // The entry has no checksum still, and stays when another one is taken out.
    let change = EntryChange::Put(b"another value".to_vec());
    let write = TableWrite { key: (*b"c").into(), expect: Expect::Absent, change };
    block_on(table.commit(vec![write])).unwrap();
    drop(table);
    let mut bytes = fs::read(dir.table()).unwrap();
    let at = bytes.windows(13).position(|text| text == b"another value").unwrap();
    bytes[at] ^= 1;
    fs::write(dir.table(), bytes).unwrap();
    let repaired = repair_table(&dir).unwrap();
    assert_eq!((repaired.kept, repaired.damaged, repaired.gaps), (1, 1, 0), "{repaired:?}");
}

#[test]
fn a_table_of_version_1_opens_where_nothing_can_be_written_and_is_brought_up_to_date_later() {
    let (root, dir) = frozen();
    // The log cannot be there.
    let log = root.path().join("table.sqlite3-wal");
    fs::create_dir(&log).unwrap();
    let table = LocalTable::open(&dir, &"test".parse().unwrap()).unwrap();
    let refused = block_on(table.get(b"a")).unwrap_err();
    assert_eq!(refused.code(), Code::StoreIo, "{refused}");
    fs::remove_dir(log).unwrap();
    assert_eq!(block_on(table.get(b"a")).unwrap().unwrap().value, b"first");
}

// shows: WR-044
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
