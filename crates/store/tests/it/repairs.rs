//! Repairs: every call of one may fail or be the last before the power goes, and nothing that was there is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use piton_core::port::fixed::SeededEntropy;
use piton_core::{Code, Digest, FileBytes};
use piton_store::local::{
    DataDir, LocalBlobs, LocalKeyRing, LocalTable, LogJournal, RepairedTable, repair_table,
};
use piton_store::port::{
    BlobNamespace, BlobReader as _, Blobs as _, EntryChange, Expect, Journal as _,
    JournalReader as _, KeyRing as _, Table as _, TableWrite,
};
use piton_store::testing::contract::journal::append;
use piton_store::testing::contract::{self};
use piton_store::testing::{DiskFault, FaultKind, Sample, SimDisk};
use piton_store::{Error, StreamId};
use tempfile::TempDir;

use crate::site::{SESSION, backpacks, blobs, block_on};

/// Runs `repair` on forks of `start` with every fault at every call, and `check` on what the power leaves then.
fn every_fault<T>(
    start: &SimDisk,
    open: impl Fn(&SimDisk) -> T,
    repair: impl Fn(&T) -> bool,
    check: impl Fn(&SimDisk, &str),
) {
    for kind in FaultKind::ALL {
        let mut at = 0;
        loop {
            let disk = start.fork();
            let opened = open(&disk);
            disk.set_fault(Some(DiskFault { at, kind }));
            repair(&opened);
            let reached = disk.calls() > at;
            disk.set_fault(None);
            let story = format!("{kind:?} at {at}");
            if kind == FaultKind::Crash {
                for seed in 0..6 {
                    check(&disk.after_power_cut(seed, 512), &story);
                }
            } else {
                check(&disk, &story);
            }
            if !reached {
                assert!(at > 3, "a repair takes more than {at} calls");
                break;
            }
            at += 1;
        }
    }
}

/// Whether some file holds exactly these bytes.
fn is_kept(disk: &SimDisk, bytes: &[u8]) -> bool {
    disk.contents().values().any(|found| found == bytes)
}

#[test]
fn a_repair_of_a_log_that_fails_anywhere_loses_nothing_and_can_be_repeated() {
    let name: StreamId = SESSION.parse().unwrap();
    let start = SimDisk::new();
    block_on(async {
        let journal = backpacks(&start);
        let lease = journal.lease(&name).await.unwrap();
        for plan in ["one", "two", "three"] {
            append(&journal, &lease, 2, plan).await.unwrap();
        }
    });
    let log = Path::new("/backpacks").join(SESSION).join("log");
    start.damage(&log, |bytes| {
        let at = bytes.len() - 20;
        bytes[at] ^= 1;
    });
    let damaged = start.contents()[&log].clone();
    let again = |disk: &SimDisk| block_on(backpacks(disk).repair(&name)).is_ok();
    let repair = |journal: &LogJournal<Sample>| block_on(journal.repair(&name)).is_ok();
    every_fault(&start, backpacks, repair, |disk, story| {
        assert!(is_kept(disk, &damaged), "{story}: the damaged log is gone");
        assert!(again(disk), "{story}: it can be repaired");
        assert!(is_kept(disk, &damaged), "{story}: the damaged log is gone");
        let loaded = block_on(backpacks(disk).load(&name)).unwrap();
        assert_eq!((loaded.events.len(), loaded.torn_tail), (4, None), "{story}");
    });
}

#[test]
fn a_repair_of_a_log_that_was_cut_loses_nothing_more_and_can_be_repeated() {
    let name: StreamId = SESSION.parse().unwrap();
    let start = SimDisk::new();
    block_on(async {
        let journal = backpacks(&start);
        let lease = journal.lease(&name).await.unwrap();
        for plan in ["one", "two", "three"] {
            append(&journal, &lease, 2, plan).await.unwrap();
        }
    });
    let log = Path::new("/backpacks").join(SESSION).join("log");
    start.damage(&log, |bytes| bytes.truncate(bytes.len() - 20));
    let cut = start.contents()[&log].clone();
    let repair = |journal: &LogJournal<Sample>| block_on(journal.repair(&name)).is_ok();
    every_fault(&start, backpacks, repair, |disk, story| {
        for _ in 0..2 {
            assert!(is_kept(disk, &cut), "{story}: what was left of the log is gone");
            assert!(repair(&backpacks(disk)), "{story}: it can be repaired");
        }
        let lease = block_on(backpacks(disk).lease(&name)).unwrap();
        assert_eq!(lease.next_event().get(), 4, "{story}");
    });
}

#[test]
fn a_repair_of_the_keys_that_fails_anywhere_keeps_the_damaged_ones() {
    let start = SimDisk::new();
    let open = |disk: &SimDisk| {
        let dir = DataDir::on(Arc::new(disk.clone()), Path::new("/")).unwrap();
        LocalKeyRing::new(dir, Arc::new(SeededEntropy::new(1)))
    };
    block_on(open(&start).sign(b"message")).unwrap();
    let ring = Path::new("/keys/keyring.json");
    start.damage(ring, |bytes| bytes[3] ^= 1);
    let damaged = start.contents()[ring].clone();
    let repair = |ring: &LocalKeyRing| block_on(ring.repair()).is_ok();
    every_fault(&start, open, repair, |disk, story| {
        assert!(is_kept(disk, &damaged), "{story}: the damaged ring is gone");
        assert!(repair(&open(disk)), "{story}");
        let signed = block_on(open(disk).sign(b"message")).unwrap();
        let found = block_on(open(disk).verify(b"message", &signed.0)).unwrap();
        assert!(found.is_some() && is_kept(disk, &damaged), "{story}");
        assert_eq!(block_on(open(disk).repair()).unwrap(), None, "{story}: once is enough");
    });
}

#[test]
fn a_ring_of_a_newer_version_is_not_replaced() {
    let disk = SimDisk::new();
    let dir = DataDir::on(Arc::new(disk.clone()), Path::new("/")).unwrap();
    let ring = LocalKeyRing::new(dir, Arc::new(SeededEntropy::new(1)));
    block_on(ring.sign(b"message")).unwrap();
    let path = Path::new("/keys/keyring.json");
    disk.damage(path, |bytes| *bytes = br#"{"v":3}"#.to_vec());
    let refused = block_on(ring.repair()).unwrap_err();
    assert!(matches!(refused, Error::UnsupportedVersion { .. }), "{refused}");
    assert_eq!(disk.contents()[path], br#"{"v":3}"#);
}

#[test]
fn a_damaged_blob_is_kept_elsewhere_and_a_whole_one_stays() {
    let start = SimDisk::new();
    let namespace = BlobNamespace::Backpacks;
    let digest = Digest::of(&FileBytes(b"right"));
    block_on(blobs(&start).put(namespace, b"right".to_vec())).unwrap();
    assert_eq!(block_on(blobs(&start).set_aside(namespace, digest)).unwrap(), None, "it is whole");
    let path = start.contents().into_iter().find(|(_, bytes)| bytes == b"right").unwrap().0;
    start.damage(&path, |bytes| *bytes = b"wrong".to_vec());
    let set_aside = |blobs: &LocalBlobs| block_on(blobs.set_aside(namespace, digest)).is_ok();
    every_fault(&start, blobs, set_aside, |disk, story| {
        assert!(is_kept(disk, b"wrong"), "{story}: the damaged bytes are gone");
        assert!(set_aside(&blobs(disk)) && is_kept(disk, b"wrong"), "{story}");
        assert_eq!(block_on(blobs(disk).get(namespace, digest)).unwrap(), None, "{story}");
        block_on(blobs(disk).put(namespace, b"right".to_vec())).unwrap();
        assert!(block_on(blobs(disk).get(namespace, digest)).unwrap().is_some(), "{story}");
    });
}

const ROWS: u32 = 3_000;
const PAGE: usize = 4_096;

fn key(number: u32) -> Vec<u8> {
    // Spread like digests, as most keys are.
    Digest::of(&FileBytes(&number.to_be_bytes())).as_bytes().to_vec()
}

fn value(number: u32) -> Vec<u8> {
    vec![u8::try_from(number % 251).unwrap(); 40 + usize::try_from(number % 60).unwrap()]
}

/// A data directory with a table of many rows, folded into one file.
async fn filled() -> (TempDir, Vec<u8>) {
    let root = TempDir::new().unwrap();
    let dir = DataDir::open(root.path()).unwrap();
    let table = LocalTable::open(&dir, &"context".parse().unwrap()).unwrap();
    for first in (0..ROWS).step_by(1_000) {
        let batch = (first..first + 1_000).map(|number| TableWrite {
            key: key(number).into(),
            expect: Expect::Absent,
            change: EntryChange::Put(value(number)),
        });
        table.commit(batch.collect()).await.unwrap();
    }
    drop((table, dir));
    let bytes = fs::read(root.path().join("table.sqlite3")).unwrap();
    (root, bytes)
}

#[tokio::test]
async fn a_damaged_page_costs_a_repaired_table_what_it_held_and_nothing_else() {
    let (root, sound) = filled().await;
    let leaves: Vec<usize> =
        (3..sound.len() / PAGE).filter(|page| sound[page * PAGE] == 0x0a).collect();
    assert!(leaves.len() > 40, "{leaves:?}");
    for (round, &leaf) in leaves.iter().step_by(leaves.len() / 6).enumerate() {
        let mut bytes = sound.clone();
        bytes[leaf * PAGE..(leaf + 1) * PAGE].fill(0xff);
        if round == 1 {
            bytes[..100].fill(0xff);
        }
        fs::write(root.path().join("table.sqlite3"), &bytes).unwrap();
        let repaired = repair_table(&DataDir::open_alone(root.path()).unwrap()).unwrap();
        // A page holds some forty rows.
        assert!((1..=2).contains(&repaired.gaps), "page {leaf}: {repaired:?}");
        assert!(repaired.kept >= u64::from(ROWS) - 60, "page {leaf}: {repaired:?}");
        let dir = DataDir::open(root.path()).unwrap();
        let table = LocalTable::open(&dir, &"context".parse().unwrap()).unwrap();
        assert!(table.status().await.unwrap().problems.is_empty());
        let mut found = 0;
        for number in 0..ROWS {
            if let Some(entry) = table.get(&key(number)).await.unwrap() {
                assert_eq!(entry.value, value(number), "page {leaf}: row {number}");
                found += 1;
            }
        }
        assert_eq!(found, repaired.kept, "page {leaf}");
        let new = TableWrite {
            key: (*b"new").into(),
            expect: Expect::Absent,
            change: EntryChange::Put(vec![]),
        };
        assert!(table.commit(vec![new]).await.unwrap().0 > 3, "versions go on");
        drop((table, dir));
        let kept = root.path().join(repaired.aside.unwrap()).join("table.sqlite3");
        assert_eq!(fs::read(kept).unwrap(), bytes, "the damaged file is kept as it was");
    }
}

/// Where the entries on a page further up begin in the file, each with its number, in the order of their keys.
fn separators(bytes: &[u8], page: usize) -> Vec<(usize, u32)> {
    let numbers: BTreeMap<Vec<u8>, u32> = (0..ROWS).map(|number| (key(number), number)).collect();
    let two = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let start = page * PAGE;
    let cells = (0..two(start + 3)).map(|cell| start + two(start + 12 + 2 * cell));
    let number = |at: usize| bytes[at..at + 60].windows(32).find_map(|key| numbers.get(key));
    cells.map(|at| (at, *number(at).expect("the key of a row"))).collect()
}

fn interior(bytes: &[u8]) -> Vec<usize> {
    (2..bytes.len() / PAGE).filter(|page| bytes[page * PAGE] == 0x02).collect()
}

async fn repaired(root: &Path, bytes: &[u8]) -> (RepairedTable, LocalTable) {
    fs::write(root.join("table.sqlite3"), bytes).unwrap();
    let repaired = repair_table(&DataDir::open_alone(root).unwrap()).unwrap();
    let dir = DataDir::open(root).unwrap();
    let table = LocalTable::open(&dir, &"context".parse().unwrap()).unwrap();
    assert_eq!(table.status().await.unwrap().problems, Vec::<String>::new());
    (repaired, table)
}

#[tokio::test]
async fn a_damaged_page_further_up_costs_its_own_entries_and_no_leaf_below_it() {
    type Breaking = fn(&mut [u8]);
    let (root, sound) = filled().await;
    let pages = interior(&sound);
    assert!(pages.len() > 2, "{pages:?}");
    let cases: [(&str, usize, Breaking); 3] = [
        ("all of it", 0, |page| page.fill(0xff)),
        ("its type", 0, |page| page[0] = 0),
        // SQLite sees nothing wrong when it reads this: there are just fewer entries.
        ("how many entries it has", 1, |page| page[3..5].copy_from_slice(&[0, 1])),
    ];
    for page in pages {
        for (what, left, breaking) in cases {
            let mut bytes = sound.clone();
            breaking(&mut bytes[page * PAGE..(page + 1) * PAGE]);
            let (repaired, table) = repaired(root.path(), &bytes).await;
            let lost: Vec<u32> =
                separators(&sound, page).into_iter().skip(left).map(|(_, row)| row).collect();
            let counted = (repaired.kept, repaired.gaps, repaired.damaged);
            let expected = (u64::from(ROWS) - lost.len() as u64, lost.len() as u64, 0);
            assert_eq!(counted, expected, "page {page}, {what}");
            let mut ranges = Vec::new();
            table.taken_out(&mut |one| ranges.push(one)).await.unwrap();
            let found = table.scan(b"", None, 10_000).await.unwrap().entries.into_iter();
            let found: BTreeMap<_, _> = found.map(|it| (it.key.to_vec(), it.value)).collect();
            for number in 0..ROWS {
                let expected = (!lost.contains(&number)).then(|| value(number));
                assert_eq!(found.get(&key(number)), expected.as_ref(), "page {page}, {what}");
                let is_covered = ranges.iter().any(|range| range.covers(&key(number)));
                assert_eq!(is_covered, lost.contains(&number), "page {page}, {what}: {number}");
            }
            drop(table);
            fs::remove_dir_all(root.path().join("damaged")).unwrap();
        }
    }
}

#[tokio::test]
async fn large_values_come_back_and_what_was_removed_does_not() {
    let (root, _) = filled().await;
    let open =
        || LocalTable::open(&DataDir::open(root.path()).unwrap(), &"context".parse().unwrap());
    let large = |number: u32| vec![u8::try_from(number % 251).unwrap(); 3_000 * number as usize];
    let put = |number: u32| TableWrite {
        key: key(ROWS + number).into(),
        expect: Expect::Absent,
        change: EntryChange::Put(large(number)),
    };
    let remove = |number: u32| TableWrite {
        key: key(number).into(),
        expect: Expect::Anything,
        change: EntryChange::Remove,
    };
    let table = open().unwrap();
    table.commit((0..20).map(put).collect()).await.unwrap();
    for first in (0..ROWS).step_by(500) {
        let gone = (first..first + 500).filter(|number| number % 8 != 0);
        table.commit(gone.map(remove).collect()).await.unwrap();
    }
    drop(table);
    let sound = fs::read(root.path().join("table.sqlite3")).unwrap();
    let unused = u32::from_be_bytes(sound[36..40].try_into().unwrap());
    assert!(unused > 10, "{unused} pages with removed entries");
    // The topmost page of the entries, which the schema says is the third.
    assert_eq!(sound[2 * PAGE], 0x02);
    let whole = u64::from(ROWS) / 8 + 20;
    // No more entries than one page holds; the header, with the list of unused pages, holds none.
    for (damaged, gaps_max) in [(2 * PAGE..3 * PAGE, 40), (0..100, 0)] {
        let mut bytes = sound.clone();
        bytes[damaged].fill(0xff);
        let (repaired, table) = repaired(root.path(), &bytes).await;
        let mut found = 0;
        for number in 0..ROWS {
            let entry = table.get(&key(number)).await.unwrap();
            assert!(number % 8 == 0 || entry.is_none(), "{number} was removed");
            found += u64::from(entry.is_some_and(|entry| entry.value == value(number)));
        }
        for number in 0..20 {
            let entry = table.get(&key(ROWS + number)).await.unwrap();
            found += u64::from(entry.is_some_and(|entry| entry.value == large(number)));
        }
        assert_eq!((repaired.kept, repaired.kept + repaired.gaps), (found, whole), "{repaired:?}");
        assert!(repaired.gaps <= gaps_max, "{repaired:?}");
    }
}

#[tokio::test]
async fn the_topmost_page_and_the_header_may_both_be_gone() {
    let (root, mut bytes) = filled().await;
    bytes[..100].fill(0xff);
    bytes[2 * PAGE..3 * PAGE].fill(0xff);
    let (repaired, table) = repaired(root.path(), &bytes).await;
    assert!(repaired.gaps > 0 && repaired.kept > u64::from(ROWS) - 60, "{repaired:?}");
    assert_eq!(table.scan(b"", None, 10_000).await.unwrap().entries.len() as u64, repaired.kept);
}

#[tokio::test]
async fn the_table_on_disk_shows_what_was_taken_out() {
    let (root, mut bytes) = filled().await;
    let mut keys: Vec<Vec<u8>> = (0..ROWS).map(key).collect();
    keys.sort_unstable();
    let last = keys.last().unwrap();
    let at = bytes.windows(32).rposition(|window| window == last).unwrap() + 32;
    bytes[at] ^= 1;
    let number = (0..ROWS).find(|number| key(*number) == *last).unwrap();
    let mut found = value(number);
    found[0] ^= 1;
    // An entry between two leaves whose length is wrong.
    let page = interior(&bytes).pop().unwrap();
    let (cell, number) = separators(&bytes, page)[1];
    bytes[cell + 4..cell + 13].fill(0xff);
    let (repaired, table) = repaired(root.path(), &bytes).await;
    assert_eq!((repaired.gaps, repaired.damaged), (1, 1), "{repaired:?}");
    let place = keys.iter().position(|one| *one == key(number)).unwrap();
    let gap = [&keys[place - 1][..], &keys[place + 1]];
    contract::table::after_a_repair(&table, last, &found, gap).await;
}

#[tokio::test]
async fn a_changed_value_blocks_its_own_key_and_is_kept_by_a_repair() {
    let (root, mut bytes) = filled().await;
    let path = root.path().join("table.sqlite3");
    // The value of the last key in the order of keys, which stands behind it in the file.
    let number = (0..ROWS).max_by_key(|number| key(*number)).unwrap();
    let at = bytes.windows(32).rposition(|window| window == key(number)).unwrap() + 32;
    assert_eq!(bytes[at], value(number)[0]);
    bytes[at] ^= 1;
    fs::write(&path, &bytes).unwrap();

    let open =
        || LocalTable::open(&DataDir::open(root.path()).unwrap(), &"context".parse().unwrap());
    let table = open().unwrap();
    let refused = table.get(&key(number)).await.unwrap_err();
    assert!(matches!(refused, Error::EntryDamaged { .. }), "{refused}");
    assert_eq!(refused.code(), Code::StoreTableDamaged);
    for other in (0..ROWS).filter(|other| *other != number).step_by(100) {
        assert_eq!(table.get(&key(other)).await.unwrap().unwrap().value, value(other));
    }
    assert!(table.get_all(vec![key(number).into()]).await.is_err());
    assert!(table.snapshot().await.unwrap().get(&key(number)).await.is_err());
    assert!(table.scan(&key(number)[..2], None, 10).await.is_err());
    let problems = table.status().await.unwrap().problems;
    let shown = key(number).escape_ascii().to_string();
    assert!(problems.len() == 1 && problems[0].ends_with(&shown), "{problems:?}");
    drop(table);

    let repaired = repair_table(&DataDir::open_alone(root.path()).unwrap()).unwrap();
    assert_eq!((repaired.kept, repaired.gaps), (u64::from(ROWS) - 1, 0), "{repaired:?}");
    assert_eq!(
        (repaired.damaged, &repaired.damaged_shown),
        (1, &vec![format!("context: {shown}")])
    );
    let kept = root.path().join(repaired.aside.unwrap());
    assert_eq!(fs::read(kept.join("table.sqlite3")).unwrap(), bytes, "as it was");
    let line: serde_json::Value =
        serde_json::from_slice(&fs::read(kept.join("entries.jsonl")).unwrap()).unwrap();
    let found = STANDARD.decode(line["valueBase64"].as_str().unwrap()).unwrap();
    assert_eq!((found[0], &found[1..]), (value(number)[0] ^ 1, &value(number)[1..]));
    let table = open().unwrap();
    assert_eq!(table.get(&key(number)).await.unwrap(), None);
    assert_eq!(table.status().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn a_flip_in_a_page_of_entries_is_reported_or_changes_no_entry() {
    let root = TempDir::new().unwrap();
    let open = || LocalTable::open(&DataDir::open(root.path()).unwrap(), &"test".parse().unwrap());
    let path = root.path().join("table.sqlite3");
    let batch = (0..20).map(|number| TableWrite {
        key: key(number).into(),
        expect: Expect::Absent,
        change: EntryChange::Put(value(number)),
    });
    open().unwrap().commit(batch.collect()).await.unwrap();
    let sound = fs::read(&path).unwrap();
    let whole = open().unwrap().scan(b"", None, 100).await.unwrap();
    assert_eq!((whole.entries.len(), sound.len()), (20, 3 * PAGE));
    let mut reported = 0;
    for at in (2 * PAGE..3 * PAGE).step_by(5) {
        let mut bytes = sound.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&path, bytes).unwrap();
        let table = open().unwrap();
        if table.status().await.is_ok_and(|status| status.problems.is_empty()) {
            assert_eq!(table.scan(b"", None, 100).await.unwrap(), whole, "byte {at}");
        } else {
            reported += 1;
        }
    }
    assert!(reported > 300, "{reported}");
}

#[tokio::test]
async fn a_repair_of_a_table_that_was_cut_off_begins_with_what_it_kept() {
    let (root, mut bytes) = filled().await;
    bytes[..100].fill(0xff);
    let table = root.path().join("table.sqlite3");
    // As after a crash between the removal of the old log and the rename, with a new database already in its place.
    let partial = root.path().join("damaged/table-1.partial");
    fs::create_dir_all(&partial).unwrap();
    fs::write(partial.join("table.sqlite3"), &bytes).unwrap();
    fs::remove_file(&table).unwrap();
    drop(LocalTable::open(&DataDir::open(root.path()).unwrap(), &"context".parse().unwrap()));
    let repaired = repair_table(&DataDir::open_alone(root.path()).unwrap()).unwrap();
    assert_eq!((repaired.kept, repaired.gaps), (u64::from(ROWS), 0), "{repaired:?}");
    assert_eq!(repaired.aside.as_deref(), Some("damaged/table-1"));
    let again = repair_table(&DataDir::open_alone(root.path()).unwrap()).unwrap();
    assert_eq!(again.aside, None);
}

#[tokio::test]
async fn what_was_committed_after_a_repair_that_was_cut_off_stays() {
    let (root, mut bytes) = filled().await;
    bytes[..100].fill(0xff);
    // As after a crash between the rename and the end: the new database is in its place, and the copy has its suffix.
    let partial = root.path().join("damaged/table-1.partial");
    fs::create_dir_all(&partial).unwrap();
    fs::write(partial.join("table.sqlite3"), &bytes).unwrap();
    let open = || {
        LocalTable::open(&DataDir::open(root.path()).unwrap(), &"context".parse().unwrap()).unwrap()
    };
    let later = TableWrite {
        key: b"later".to_vec().into(),
        expect: Expect::Absent,
        change: EntryChange::Put(b"value".to_vec()),
    };
    open().commit([later].into_iter().collect()).await.unwrap();
    let repaired = repair_table(&DataDir::open_alone(root.path()).unwrap()).unwrap();
    assert_eq!(repaired.aside.as_deref(), Some("damaged/table-1"), "the copy is kept and named");
    assert!(open().get(b"later").await.unwrap().is_some());
    assert!(!partial.exists());
}

#[tokio::test]
async fn a_table_is_not_repaired_while_another_process_has_the_directory() {
    let (root, _) = filled().await;
    let open = DataDir::open(root.path()).unwrap();
    let refused = DataDir::open_alone(root.path()).unwrap_err();
    assert!(matches!(refused, Error::Busy { .. }), "{refused}");
    drop(open);
    DataDir::open_alone(root.path()).unwrap();
}
