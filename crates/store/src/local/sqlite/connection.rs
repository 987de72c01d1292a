//! The file of a database, and the settings of every connection.
//!
//! Invariants: the file is accessible to its owner only before SQLite sees it, and SQLite gives the files beside it the
//! same mode.
#![expect(
    clippy::disallowed_methods,
    reason = "waits for other processes on the adapter's threads"
)]

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::io::Errno;

use crate::bounds::TABLE_BUSY_PAUSE;

/// Pause between attempts where SQLite itself does not wait.
const MODE_PAUSE: Duration = Duration::from_millis(5);

/// Query for the version of a database's schema.
pub(in crate::local) const FORMAT_QUERY: &str = "SELECT value FROM meta WHERE name = 'format'";

/// Query for the number of the last commit that changed anything.
pub(in crate::local) const VERSION_QUERY: &str = "SELECT value FROM meta WHERE name = 'version'";

/// Message for a file system on which SQLite cannot share memory between processes.
pub(in crate::local) const NO_WRITE_AHEAD: &str = "write-ahead logging is not available here";

/// Creates an empty database file, accessible to its owner only. Returns false if it exists already.
///
/// The file is created without being opened: closing it again would release locks that SQLite holds on it for another
/// handle of this process.
pub(in crate::local) fn create_file(path: &Path) -> std::io::Result<bool> {
    match mknodat(CWD, path, FileType::RegularFile, Mode::RUSR | Mode::WUSR, 0) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Opens a connection that waits for other processes for at most `patience`.
pub(in crate::local) fn open(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    be_patient(&mut connection, patience)?;
    // The file is not trusted: its schema must not call functions, and no SQL may write to the database's internals.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    Ok(connection)
}

/// Switches a database to write-ahead logging. Returns false if that is refused.
pub(in crate::local) fn write_ahead(
    connection: &Connection,
    patience: Duration,
) -> rusqlite::Result<bool> {
    let started = Instant::now();
    loop {
        // SQLite reports a refused change of mode by the mode that stays, not as an error.
        let mode = connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        match mode {
            // SQLite does not wait while the mode is changed, which happens only once.
            Err(error) if is_busy(&error) && started.elapsed() < patience => {
                thread::sleep(MODE_PAUSE);
            }
            mode => return Ok(mode? == "wal"),
        }
    }
}

/// Turns a connection into one that only reads.
pub(in crate::local) fn only_reads(connection: Connection) -> rusqlite::Result<Connection> {
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Lets a connection wait for others, for at most `patience`.
///
/// SQLite's own handler ends up polling ten times a second. Among writers that follow each other closely, it can find
/// the database locked at each of those moments for seconds.
pub(in crate::local) fn be_patient(
    connection: &mut Connection,
    patience: Duration,
) -> rusqlite::Result<()> {
    let mut began = Instant::now();
    connection.busy_handler(Some(move |looks| {
        // SQLite counts the calls of one wait from 0, so this is the start of a new wait.
        if looks == 0 {
            began = Instant::now();
        }
        let is_patient = began.elapsed() < patience;
        if is_patient {
            thread::sleep(TABLE_BUSY_PAUSE);
        }
        is_patient
    }))
}

/// True if another connection is in the way.
fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
