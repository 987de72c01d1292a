//! The database file: who may read it, what it survives, and copies of it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::{fs, thread};

use piton_core::Code;
use piton_store::Error;
use piton_store::local::{DataDir, LocalTable, repair_table};
use piton_store::port::{Expect, Table};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{commit, open, open_named, put, value};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn the_database_and_the_files_beside_it_are_for_their_owner_only() {
    let root = TempDir::new().unwrap();
    let table = open(root.path());
    commit(&table, "a", "1").await;
    for name in ["table.sqlite3", "table.sqlite3-wal", "table.sqlite3-shm"] {
        assert_eq!(mode(&root.path().join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn tables_of_one_database_do_not_see_each_other() {
    let root = TempDir::new().unwrap();
    let (one, other) = (open_named(root.path(), "one"), open_named(root.path(), "other"));
    commit(&one, "a", "1").await;
    assert_eq!(value(&other, "a").await, None);
    other.commit(vec![put("a", Expect::Absent, "2")]).await.unwrap();
    assert_eq!(value(&one, "a").await, Some(b"1".to_vec()));
    assert_eq!(one.scan(b"", None, 10).await.unwrap().entries.len(), 1);
}

#[tokio::test]
async fn what_was_committed_is_there_after_reopening_and_versions_go_on() {
    let root = TempDir::new().unwrap();
    let first = open(root.path());
    let before = commit(&first, "a", "1").await;
    drop(first);
    let second = open(root.path());
    let entry = second.get(b"a").await.unwrap().unwrap();
    assert_eq!((entry.value, entry.version), (b"1".to_vec(), before));
    assert!(commit(&second, "b", "2").await > before);
}

#[tokio::test]
async fn handles_that_make_the_database_at_once_all_get_it() {
    let root = TempDir::new().unwrap();
    let dir = DataDir::open(root.path()).unwrap();
    let name = "test".parse().unwrap();
    let open = || LocalTable::open(&dir, &name).unwrap();
    let tables: Vec<LocalTable> = thread::scope(|scope| {
        let opening: Vec<_> = (0..16).map(|_| scope.spawn(open)).collect();
        opening.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (number, table) in tables.iter().enumerate() {
        commit(table, &number.to_string(), "x").await;
    }
    assert_eq!(tables[0].scan(b"", None, 100).await.unwrap().entries.len(), 16);
}

#[tokio::test]
async fn a_database_of_another_format_is_refused_and_left_alone() {
    let root = TempDir::new().unwrap();
    let dir = DataDir::open(root.path()).unwrap();
    let table = open(root.path());
    commit(&table, "a", "1").await;
    drop(table);
    let set = |format: u64| {
        let raw = Connection::open(dir.table()).unwrap();
        raw.execute("UPDATE meta SET value = ?1 WHERE name = 'format'", [format]).unwrap();
    };
    set(3);
    let before = fs::read(dir.table()).unwrap();
    let refused = LocalTable::open(&dir, &"test".parse().unwrap()).err();
    assert!(
        matches!(refused, Some(Error::UnsupportedVersion { found: 3, known: 2, .. })),
        "{refused:?}"
    );
    let refused = repair_table(&dir).unwrap_err();
    assert!(matches!(refused, Error::UnsupportedVersion { found: 3, .. }), "{refused}");
    assert!(!dir.damaged().exists());
    assert_eq!(fs::read(dir.table()).unwrap(), before);
    set(2);
    assert_eq!(value(&open(root.path()), "a").await, Some(b"1".to_vec()));
}

#[tokio::test]
async fn a_database_that_was_deleted_or_replaced_is_used_only_after_a_repair() {
    let (root, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    commit(&open(root.path()), "a", "1").await;
    commit(&open(other.path()), "a", "another").await;
    let path = root.path().join("table.sqlite3");
    let own = fs::read(&path).unwrap();
    for replacement in [None, Some(fs::read(other.path().join("table.sqlite3")).unwrap())] {
        match &replacement {
            None => fs::remove_file(&path).unwrap(),
            Some(bytes) => fs::write(&path, bytes).unwrap(),
        }
        let table = open(root.path());
        for _ in 0..2 {
            let refused = table.commit(vec![put("b", Expect::Anything, "2")]).await.unwrap_err();
            assert!(matches!(refused, Error::TableReplaced), "{refused}");
            let advice = refused.envelope().suggestion;
            assert!(["-wal", "-shm", "piton data repair"].iter().all(|part| advice.contains(part)));
            assert!(matches!(table.get(b"a").await, Err(Error::TableReplaced)));
            assert_eq!(table.status().await.unwrap().problems, [refused.to_string()]);
        }
        drop(table);
        // The right one is used again without a word.
        let there = fs::read(&path).unwrap();
        fs::write(&path, &own).unwrap();
        assert_eq!(value(&open(root.path()), "a").await, Some(b"1".to_vec()));
        fs::write(&path, there).unwrap();
    }
    let done = repair_table(&DataDir::open_alone(root.path()).unwrap()).unwrap();
    assert!(done.is_accepted && done.aside.is_none(), "{done:?}");
    assert_eq!(value(&open(root.path()), "a").await, Some(b"another".to_vec()));
    // A note that is damaged or gone is written again.
    let note = root.path().join("table.sqlite3-id");
    let noted = fs::read(&note).unwrap();
    for damaged in [&b""[..], &noted[..16], &[&noted[..33], b"\x0b"].concat()] {
        fs::write(&note, damaged).unwrap();
        assert!(value(&open(root.path()), "a").await.is_some());
        assert_eq!(fs::read(&note).unwrap(), noted);
    }
}

#[tokio::test]
async fn a_process_that_runs_acknowledges_nothing_into_a_database_that_is_gone() {
    for is_replaced in [false, true] {
        let (root, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        commit(&open(other.path()), "a", "another").await;
        let (writes, reads) = (open(root.path()), open(root.path()));
        commit(&writes, "a", "1").await;
        for suffix in ["", "-wal", "-shm"] {
            fs::remove_file(root.path().join(format!("table.sqlite3{suffix}"))).unwrap();
        }
        if is_replaced {
            let path = root.path().join("table.sqlite3");
            fs::copy(other.path().join("table.sqlite3"), path).unwrap();
        }
        for table in [&writes, &reads] {
            let refused = table.commit(vec![put("b", Expect::Anything, "2")]).await.unwrap_err();
            assert!(matches!(refused, Error::TableReplaced), "{refused}");
            let refused = table.get(b"a").await.unwrap_err();
            assert!(matches!(refused, Error::TableReplaced), "from then on: {refused}");
        }
        assert!(!root.path().join("table.sqlite3-wal").exists(), "the other one is left alone");
    }
}

#[tokio::test]
async fn a_snapshot_is_never_of_another_database() {
    let (root, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    commit(&open(other.path()), "a", "another").await;
    let table = open(root.path());
    fs::copy(other.path().join("table.sqlite3"), root.path().join("new")).unwrap();
    fs::rename(root.path().join("new"), root.path().join("table.sqlite3")).unwrap();
    let refused = table.snapshot().await.err().unwrap();
    assert!(matches!(refused, Error::TableReplaced), "{refused}");
}

#[tokio::test]
async fn a_database_that_is_both_another_one_and_damaged_is_accepted_with_a_word() {
    let (root, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    commit(&open(root.path()), "a", "1").await;
    commit(&open(other.path()), "a", "another").await;
    let mut bytes = fs::read(other.path().join("table.sqlite3")).unwrap();
    let at = bytes.windows(7).rposition(|window| window == b"another").unwrap();
    bytes[at] ^= 1;
    fs::write(root.path().join("table.sqlite3"), bytes).unwrap();
    let done = repair_table(&DataDir::open_alone(root.path()).unwrap()).unwrap();
    assert!(done.is_accepted && done.damaged == 1, "{done:?}");
    assert_eq!(value(&open(root.path()), "a").await, None);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_without_naming_its_path() {
    let root = TempDir::new().unwrap();
    let dir = DataDir::open(root.path()).unwrap();
    fs::write(dir.table(), "no database at all, and long enough for a header".repeat(20)).unwrap();
    // It opens, so that only those learn of it who need it.
    let table = LocalTable::open(&dir, &"test".parse().unwrap()).unwrap();
    let refused = table.get(b"a").await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreTableDamaged);
    assert_eq!(refused.to_string(), "could not read from the table: table.sqlite3 is damaged");
    let refused = table.commit(vec![put("a", Expect::Absent, "1")]).await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreTableDamaged);
}

#[tokio::test]
async fn the_status_tells_a_sound_database_from_a_damaged_one() {
    let root = TempDir::new().unwrap();
    let path = root.path().join("table.sqlite3");
    let table = open(root.path());
    for number in 0..200 {
        commit(&table, &format!("{number:03}"), vec![7; 500]).await;
    }
    let status = table.status().await.unwrap();
    assert_eq!(status.problems, Vec::<String>::new());
    assert!(status.wal_bounded && status.wal_bytes > 0, "{status:?}");
    drop(table);
    // Nobody has it open now, so a test may do what nothing else does.
    let mut bytes = fs::read(&path).unwrap();
    bytes[3 * 4_096..4 * 4_096].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let status = open(root.path()).status().await.unwrap();
    assert!(!status.problems.is_empty());
}

#[tokio::test]
async fn a_copy_holds_one_moment_of_a_busy_database() {
    let root = TempDir::new().unwrap();
    let table = open(root.path());
    let writer = tokio::spawn({
        let table = table.clone();
        async move {
            for round in 0..100_u64 {
                let value = round.to_be_bytes();
                let batch = ["a", "b"].map(|key| put(key, Expect::Anything, value));
                table.commit(batch.to_vec()).await.unwrap();
            }
        }
    });
    let mut copies = 0;
    while !writer.is_finished() || copies == 0 {
        let place = TempDir::new().unwrap();
        let to = place.path().join("table.sqlite3");
        table.backup(&to).await.unwrap();
        assert_eq!(mode(&to), 0o600);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing else is left there");
        let copy = open(place.path());
        assert_eq!(value(&copy, "a").await, value(&copy, "b").await);
        assert!(copy.status().await.unwrap().problems.is_empty());
        copies += 1;
    }
    writer.await.unwrap();
    let place = TempDir::new().unwrap();
    table.backup(&place.path().join("table.sqlite3")).await.unwrap();
    let copy = open(place.path());
    assert_eq!(value(&copy, "a").await, Some(99_u64.to_be_bytes().to_vec()));
    commit(&copy, "a", "the copy is a table of its own").await;
    assert_eq!(value(&table, "a").await, Some(99_u64.to_be_bytes().to_vec()));
}

#[tokio::test]
async fn a_copy_never_replaces_anything() {
    let root = TempDir::new().unwrap();
    let table = open(root.path());
    commit(&table, "a", "1").await;
    let to = root.path().join("taken");
    fs::write(&to, "precious").unwrap();
    let refused = table.backup(&to).await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreIo);
    assert_eq!(fs::read(&to).unwrap(), b"precious");
    let nowhere = root.path().join("no/such/directory/copy");
    assert!(table.backup(&nowhere).await.is_err());
}
