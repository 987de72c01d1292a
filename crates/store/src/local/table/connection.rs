//! Opening the database: its settings and its schema.
//!
//! Invariants: the schema appears in one transaction, so that no process ever sees a part of it.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::failure::{TableFailure, sql};
use crate::Error;
use crate::bounds::{TABLE_BUSY_WAIT, TABLE_CHECKPOINT_PAGES, TABLE_WAL_BYTES_MAX};
use crate::local::sqlite;

/// Version of the schema below.
const FORMAT: u64 = 2;

const SCHEMA: &str = "
    CREATE TABLE meta (
        name TEXT NOT NULL PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE entries (
        \"table\" TEXT NOT NULL,
        key BLOB NOT NULL,
        value BLOB NOT NULL,
        commit_number INTEGER NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (\"table\", key)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO meta (name, value) VALUES
        ('format', 2), ('version', 0), ('identity', random());
";

/// Migrates the schema from version 1 to version 2. No row is rewritten: existing rows have no checksum.
///
/// A column is renamed so that a process of the older Piton, which may be running all the while, fails instead of
/// changing a value without its checksum.
const FROM_1_TO_2: &str = "
    ALTER TABLE entries RENAME COLUMN version TO commit_number;
    ALTER TABLE entries ADD COLUMN checksum INTEGER;
    UPDATE meta SET value = 2 WHERE name = 'format';
    INSERT INTO meta (name, value) VALUES ('identity', random());
";

/// Creates an empty database file, accessible to its owner only. Returns false if it exists already.
pub(super) fn create_file(path: &Path) -> Result<bool, Error> {
    sqlite::create_file(path).map_err(Error::io("make the table's database"))
}

/// Opens a connection that may write, and creates the schema if there is none.
pub(super) fn open_writer(path: &Path) -> Result<Connection, Error> {
    try_open_writer(path).map_err(|failure| failure.into_error("open the table"))
}

/// Opens a connection that only reads.
pub(super) fn open_reader(path: &Path) -> Result<Connection, Error> {
    let reader = open_as_it_is(path)?;
    match format(&reader).map_err(sql("open the table")) {
        // The schema could not be migrated before, for example because the disk was full.
        Ok(Some(1)) => only_reads(open_writer(path)?),
        // Parts of a damaged database may still be readable.
        Ok(_) | Err(Error::TableDamaged { .. }) => Ok(reader),
        Err(error) => Err(error),
    }
}

/// Opens a connection that only reads, whatever the schema is.
pub(super) fn open_as_it_is(path: &Path) -> Result<Connection, Error> {
    only_reads(sqlite::open(path, TABLE_BUSY_WAIT).map_err(sql("open the table"))?)
}

/// Turns a connection into one that only reads.
pub(super) fn only_reads(connection: Connection) -> Result<Connection, Error> {
    sqlite::only_reads(connection).map_err(sql("open the table"))
}

fn try_open_writer(path: &Path) -> Result<Connection, TableFailure> {
    let mut connection = sqlite::open(path, TABLE_BUSY_WAIT)?;
    if !sqlite::write_ahead(&connection, TABLE_BUSY_WAIT)? {
        return Err(TableFailure::Other(Error::Sql {
            operation: "open the table",
            message: sqlite::NO_WRITE_AHEAD.to_owned(),
        }));
    }
    // With WAL and a weaker setting, a power cut could take back commits that were acknowledged.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "wal_autocheckpoint", TABLE_CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", TABLE_WAL_BYTES_MAX / 4)?;
    let found = ensure_schema(&mut connection)?;
    if found != FORMAT {
        return Err(TableFailure::Other(Error::UnsupportedVersion {
            what: "the table's database",
            found,
            known: FORMAT,
        }));
    }
    Ok(connection)
}

/// Folds the write-ahead log of a database into it.
pub(super) fn fold(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Creates the schema if there is none, migrates an older one, and returns its version.
fn ensure_schema(connection: &mut Connection) -> rusqlite::Result<u64> {
    // The usual case costs no write lock. A newer version is returned as it is, for the caller to refuse.
    if let Some(format @ (0 | FORMAT..)) = format(connection)? {
        return Ok(format);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done so in the meantime.
    match format(&transaction)? {
        None => transaction.execute_batch(SCHEMA)?,
        Some(1) => transaction.execute_batch(FROM_1_TO_2)?,
        Some(_) => {}
    }
    transaction.commit()?;
    Ok(format(connection)?.unwrap_or(0))
}

fn format(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    // The database is asked, because the connection's cached schema may be out of date.
    let query = "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE name = 'meta')";
    if !connection.query_row(query, [], |row| row.get(0))? {
        return Ok(None);
    }
    connection.query_row(sqlite::FORMAT_QUERY, [], |row| row.get(0)).map(Some)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn setting(connection: &Connection, name: &str) -> String {
        connection
            .pragma_query_value(None, name, |row| row.get_ref(0).map(|value| format!("{value:?}")))
            .unwrap()
    }

    #[test]
    fn a_writer_waits_syncs_each_commit_and_keeps_its_log_small() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.sqlite3");
        assert!(create_file(&path).unwrap());
        assert!(!create_file(&path).unwrap());
        let writer = open_writer(&path).unwrap();
        for (name, value) in [
            ("journal_mode", "Text([119, 97, 108])"),
            ("synchronous", "Integer(2)"),
            // SQLite's own wait is off; ours is on.
            ("busy_timeout", "Integer(0)"),
            ("wal_autocheckpoint", "Integer(1000)"),
            ("journal_size_limit", "Integer(16777216)"),
        ] {
            assert_eq!(setting(&writer, name), value, "{name}");
        }
        let reader = open_reader(&path).unwrap();
        assert!(reader.execute("DELETE FROM entries", []).is_err(), "a reader cannot write");
    }

    #[test]
    fn a_writer_gets_its_turn_among_others_that_follow_each_other_closely() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.sqlite3");
        create_file(&path).unwrap();
        let insert = "INSERT INTO entries VALUES ('t', randomblob(16), x'', 1, NULL)";
        let done = std::sync::atomic::AtomicBool::new(false);
        let mut writer = open_writer(&path).unwrap();
        thread::scope(|scope| {
            for _ in 0..2 {
                let busy = open_writer(&path).unwrap();
                let done = &done;
                scope.spawn(move || {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        busy.execute(insert, []).unwrap();
                    }
                });
            }
            for _ in 0..20 {
                let immediate = TransactionBehavior::Immediate;
                let transaction = writer.transaction_with_behavior(immediate).unwrap();
                transaction.execute(insert, []).unwrap();
                transaction.commit().unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
