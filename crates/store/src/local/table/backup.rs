//! Copies of the database, made by SQLite itself.
//!
//! Invariants: a copy is of one moment, and appears under its name complete or not at all.
#![expect(clippy::disallowed_methods, reason = "names finished copies, which nobody has open yet")]

use std::path::Path;
use std::{fs, io, process};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::connection;
use super::failure::sql;
use crate::Error;
use crate::bounds::TABLE_BUSY_WAIT;
use crate::local::file_ops::with_suffix;

/// Copies the database to a path where nothing exists yet.
pub(super) fn write(connection: &Connection, to: &Path) -> Result<(), Error> {
    const OPERATION: &str = "write the copy of the table";
    if fs::symlink_metadata(to).is_ok() {
        return Err(Error::io(OPERATION)(io::ErrorKind::AlreadyExists.into()));
    }
    // Written under another name first, so that an interrupted copy never has the name of a finished one.
    let unfinished = with_suffix(to, &format!(".unfinished-{}", process::id()));
    if !connection::create_file(&unfinished)? {
        return Err(Error::io(OPERATION)(io::ErrorKind::AlreadyExists.into()));
    }
    let written = copy(connection, &unfinished)
        .map_err(sql(OPERATION))
        .and_then(|()| publish(&unfinished, to).map_err(Error::io(OPERATION)));
    if written.is_err() {
        // The error that led here is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Gives a finished copy its name, durably.
fn publish(unfinished: &Path, to: &Path) -> io::Result<()> {
    fs::rename(unfinished, to)?;
    let dir = to.parent().filter(|dir| !dir.as_os_str().is_empty());
    fs::File::open(dir.unwrap_or(Path::new(".")))?.sync_all()
}

/// Copies in one step, so that the copy is of one moment however busy the database is.
fn copy(connection: &Connection, to: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(to, flags)?;
    target.busy_timeout(TABLE_BUSY_WAIT)?;
    target.pragma_update(None, "synchronous", "full")?;
    // -1 copies all pages in one step: with several, a write in between would restart the copy.
    let done = Backup::new(connection, &mut target)?.step(-1)?;
    match done {
        StepResult::Done => target.close().map_err(|(_, error)| error),
        _ => Err(busy()),
    }
}

fn busy() -> rusqlite::Error {
    use rusqlite::ffi::{Error, SQLITE_BUSY};
    rusqlite::Error::SqliteFailure(Error::new(SQLITE_BUSY), None)
}
