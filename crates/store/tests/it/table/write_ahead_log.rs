//! The write-ahead log stays small, whatever readers do, and says so when it cannot.

use std::fs;
use std::path::Path;

use piton_core::Code;
use piton_store::bounds::TABLE_WAL_BYTES_MAX;
use piton_store::port::Table;
use rusqlite::Connection;
use tempfile::TempDir;

use super::{commit, open, value};

const MIB: usize = 1024 * 1024;

/// Commits that write more than the bound in total.
const COMMITS: usize = 80;

fn log_bytes(root: &Path) -> u64 {
    fs::metadata(root.join("table.sqlite3-wal")).unwrap().len()
}

#[tokio::test]
async fn a_reader_that_stops_between_two_pages_does_not_make_the_log_grow() {
    let root = TempDir::new().unwrap();
    let (writer, reader) = (open(root.path()), open(root.path()));
    for number in 0..10 {
        commit(&writer, &format!("page/{number}"), "x").await;
    }
    let first = reader.scan(b"page/", None, 5).await.unwrap();
    assert!(first.more);
    let mut largest = 0;
    for number in 0..COMMITS {
        commit(&writer, "large", vec![u8::try_from(number).unwrap(); MIB]).await;
        largest = largest.max(log_bytes(root.path()));
    }
    assert!(largest <= TABLE_WAL_BYTES_MAX, "{largest} bytes");
    let after = &first.entries.last().unwrap().key;
    let second = reader.scan(b"page/", Some(after), 10).await.unwrap();
    assert_eq!(second.entries.len(), 5);
}

#[tokio::test]
async fn a_log_that_a_stuck_reader_made_large_is_reported_and_cut_when_the_reader_is_gone() {
    let root = TempDir::new().unwrap();
    let table = open(root.path());
    commit(&table, "small", "x").await;
    let stuck = Connection::open(root.path().join("table.sqlite3")).unwrap();
    stuck.execute_batch("BEGIN").unwrap();
    let count = |table: &Connection| -> u64 {
        table.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(&stuck), 1);
    for number in 0..COMMITS {
        commit(&table, "large", vec![u8::try_from(number).unwrap(); MIB]).await;
    }
    let status = table.status().await.unwrap();
    assert!(!status.wal_bounded && status.wal_bytes > TABLE_WAL_BYTES_MAX, "{status:?}");
    stuck.execute_batch("COMMIT").unwrap();
    drop(stuck);
    // At the latest after another quarter of the bound the next commit cuts it.
    for _ in 0..=COMMITS / 4 {
        commit(&table, "large", vec![1; MIB]).await;
    }
    let status = table.status().await.unwrap();
    assert!(status.wal_bounded && status.problems.is_empty(), "{status:?}");
}

#[tokio::test]
async fn another_writer_makes_a_commit_wait_and_then_fail_but_never_a_read() {
    let root = TempDir::new().unwrap();
    let table = open(root.path());
    commit(&table, "a", "1").await;
    let other = Connection::open(root.path().join("table.sqlite3")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = tokio::spawn({
        let table = table.clone();
        async move { table.commit(vec![super::put("a", super::Expect::Anything, "2")]).await }
    });
    assert_eq!(value(&table, "a").await, Some(b"1".to_vec()));
    let refused = waiting.await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::StoreBusy);
    assert_eq!(refused.to_string(), "the table is in use elsewhere; waited 5000 ms for it");
    other.execute_batch("ROLLBACK").unwrap();
    commit(&table, "a", "3").await;
    assert_eq!(value(&table, "a").await, Some(b"3".to_vec()));
}
