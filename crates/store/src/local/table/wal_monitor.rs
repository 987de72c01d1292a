//! Health of the database: the size of its write-ahead log, and the checks of `doctor`.
#![expect(clippy::disallowed_methods, reason = "asks for the log's size, without opening it")]

use std::path::{Path, PathBuf};
use std::{fs, io};

use rusqlite::{Connection, ErrorCode};

use super::entries::{ALL_ENTRIES, display_key, is_whole};
use super::failure::sql;
use crate::Error;
use crate::bounds::{
    TABLE_BUSY_WAIT, TABLE_DAMAGED_SHOWN_MAX, TABLE_FOLD_WAIT, TABLE_WAL_BYTES_MAX,
};
use crate::local::file_ops::with_suffix;
use crate::local::sqlite::{VERSION_QUERY, be_patient};

/// Suffix of the file in which SQLite keeps the write-ahead log of a database.
const WAL: &str = "-wal";

/// Growth of the log after a failed attempt before the next one.
const FOLD_STEP: u64 = TABLE_WAL_BYTES_MAX / 4;

/// Number of findings after which an integrity check stops.
const PROBLEMS_MAX: u32 = 16;

/// State of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStatus {
    /// Size of the write-ahead log.
    pub wal_bytes: u64,
    /// True if the log is within [`TABLE_WAL_BYTES_MAX`]. If it stays beyond, some process is stopped in the middle of
    /// a read.
    pub wal_bounded: bool,
    /// Findings of SQLite's integrity check, or else the entries that are not as they were written; empty if the
    /// database is sound.
    pub problems: Vec<String>,
    /// True if no table has an entry.
    pub is_empty: bool,
    /// Set when this is another database than the data directory had. The problems then say so too.
    pub is_replaced: bool,
}

/// Watches the size of the write-ahead log.
///
/// SQLite folds the log back as commits go by, and restarts it when no reader needs it. Under a reader that never ends,
/// the log grows; then the monitor tries to fold it back and truncate it, each time it has grown by another step.
pub(super) struct WalMonitor {
    wal: PathBuf,
    bound: u64,
    fold_above: u64,
}

impl WalMonitor {
    pub(super) fn new(database: &Path) -> Self {
        let bound = TABLE_WAL_BYTES_MAX;
        Self { wal: with_suffix(database, WAL), bound, fold_above: bound }
    }

    /// Folds the log back if it has become large. Failing to is not an error, because the commit is done.
    pub(super) fn after_commit(&mut self, connection: &mut Connection) {
        let Ok(Some(bytes)) = size_of_file(&self.wal) else { return };
        // SQLite restarted the log by itself, so the next large one is acted on at once.
        if bytes <= self.bound {
            self.fold_above = self.bound;
        }
        if bytes > self.fold_above {
            let folded = fold(connection).unwrap_or(false);
            // A reader is in the way. Trying after every commit would make each of them wait for it.
            self.fold_above = if folded { self.bound } else { bytes + FOLD_STEP };
        }
    }
}

/// Folds the log back and truncates it. Returns true if nothing was in the way.
fn fold(connection: &mut Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(TABLE_FOLD_WAIT)?;
    let blocked: rusqlite::Result<bool> =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    // Setting a timeout replaces our own busy handler, which commits need back, also after a failure.
    be_patient(connection, TABLE_BUSY_WAIT)?;
    Ok(!blocked?)
}

/// Returns the size of a file, or `None` if there is none.
fn size_of_file(path: &Path) -> io::Result<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Checks the whole database.
pub(super) fn status(connection: &Connection, database: &Path) -> Result<TableStatus, Error> {
    let wal_bytes =
        size_of_file(&with_suffix(database, WAL)).map_err(Error::io("look at the table's log"))?;
    let wal_bytes = wal_bytes.unwrap_or(0);
    let problems = match check(connection) {
        // Some kinds of damage end the check instead of being listed by it.
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ) =>
        {
            vec!["the database is malformed".to_owned()]
        }
        checked => checked.map_err(sql("check the table"))?,
    };
    let query = "SELECT NOT EXISTS (SELECT * FROM entries)";
    let is_empty = problems.is_empty()
        && connection.query_row(query, [], |row| row.get(0)).map_err(sql("check the table"))?;
    let wal_bounded = wal_bytes <= TABLE_WAL_BYTES_MAX;
    Ok(TableStatus { wal_bytes, wal_bounded, problems, is_empty, is_replaced: false })
}

/// Returns the findings of SQLite's integrity check, or of the check of the entries if there are none.
fn check(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut findings: Vec<String> = Vec::new();
    connection.pragma(None, "integrity_check", PROBLEMS_MAX, |row| {
        findings.push(row.get(0)?);
        Ok(())
    })?;
    findings.retain(|finding| finding != "ok");
    // Entries are read through the tree, so its form is checked first.
    if findings.is_empty() {
        findings = check_entries(connection)?;
    }
    Ok(findings)
}

/// Returns a finding for each entry that does not match its checksum, in a database whose form is sound.
fn check_entries(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let last: u64 = connection.query_row(VERSION_QUERY, [], |row| row.get(0))?;
    let (mut findings, mut more, mut newest) = (Vec::new(), 0_u64, 0);
    let mut statement = connection.prepare(ALL_ENTRIES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (table, key) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_blob()?);
        let number = row.get(3)?;
        if is_whole(table, key, row.get_ref(2)?.as_blob()?, number, row.get(4)?) {
            newest = number.max(newest);
        } else if findings.len() < TABLE_DAMAGED_SHOWN_MAX {
            let key = display_key(key);
            findings.push(format!("an entry of `{table}` was changed after it was written: {key}"));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        findings.push(format!("and {more} more entries"));
    }
    // The counter has no checksum of its own, but it is never behind an intact entry.
    if newest > last {
        findings.push("the number of the last commit was changed after it was written".to_owned());
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::super::connection;
    use super::*;

    /// A database whose log only a [`WalMonitor`] folds back, from one MiB on.
    fn scene() -> (tempfile::TempDir, PathBuf, Connection, WalMonitor) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.sqlite3");
        connection::create_file(&path).unwrap();
        let connection = connection::open_writer(&path).unwrap();
        connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        let bound = 1024 * 1024;
        let upkeep = WalMonitor { wal: with_suffix(&path, WAL), bound, fold_above: bound };
        (dir, path, connection, upkeep)
    }

    fn write(connection: &Connection, bytes: u32) {
        let insert = "REPLACE INTO entries VALUES ('t', x'00', zeroblob(?1), 1, NULL)";
        connection.execute(insert, [bytes]).unwrap();
    }

    fn log_bytes(upkeep: &WalMonitor) -> u64 {
        size_of_file(&upkeep.wal).unwrap().unwrap()
    }

    #[test]
    fn a_large_log_is_cut_and_a_small_one_is_left_alone() {
        let (_dir, _, mut connection, mut upkeep) = scene();
        write(&connection, 100_000);
        upkeep.after_commit(&mut connection);
        assert!(log_bytes(&upkeep) > 100_000);
        write(&connection, 2_000_000);
        upkeep.after_commit(&mut connection);
        assert_eq!(log_bytes(&upkeep), 0);
        assert_eq!(upkeep.fold_above, upkeep.bound);
    }

    #[test]
    fn a_reader_in_the_way_is_no_error_and_the_next_try_comes_a_step_later() {
        let (_dir, path, mut connection, mut upkeep) = scene();
        let reader = connection::open_reader(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT * FROM entries").unwrap();
        write(&connection, 2_000_000);
        upkeep.after_commit(&mut connection);
        let bytes = log_bytes(&upkeep);
        assert!(bytes > 2_000_000);
        assert_eq!(upkeep.fold_above, bytes + FOLD_STEP);
        let wait: u64 =
            connection.pragma_query_value(None, "busy_timeout", |row| row.get(0)).unwrap();
        assert_eq!(wait, 0, "commits wait in our own way, as before");
        // Once the log is small again, by whatever means, it is watched as closely as before.
        reader.execute_batch("COMMIT").unwrap();
        assert!(fold(&mut connection).unwrap());
        upkeep.after_commit(&mut connection);
        assert_eq!(upkeep.fold_above, upkeep.bound);
    }
}
