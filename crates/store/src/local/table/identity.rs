//! Whether the database is the one that the data directory had: a deleted or replaced one must not pass for an empty or
//! a sound one.
//!
//! A database has a random number from its schema on. The first open of it notes that number in a file beside it. A
//! database with another number than the noted one is used by nobody until a repair accepts it.
//!
//! *Limitations*: whoever deletes both files begins anew.

use std::{io, path::PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::{super::files::replace, failure::sql};
use crate::{Error, local::DataDir};

/// Bytes that are read of a note: more than one has.
const NOTE_BYTES_MAX: u64 = 64;

fn path(dir: &DataDir) -> PathBuf {
    dir.root().join("table.sqlite3-id")
}

/// The number, twice: a note that was damaged is none.
fn render(number: i64) -> String {
    format!("{number:016x}\n{number:016x}\n")
}

/// The number that is noted.
pub(super) fn noted(dir: &DataDir) -> Result<Option<i64>, Error> {
    let bytes = match dir.disk().read(&path(dir), NOTE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::FileTooLarge) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(Error::io("read the note of the table")(error)),
    };
    let digits = bytes.get(..16).and_then(|digits| std::str::from_utf8(digits).ok());
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let number = number.map(u64::cast_signed);
    Ok(number.filter(|number| render(*number).as_bytes() == bytes))
}

/// Whether a database is the one that is noted. If none is, it is noted from now on.
pub(super) fn is_noted(dir: &DataDir, connection: &mut Connection) -> Result<bool, Error> {
    if let Some(noted) = noted(dir)? {
        return Ok(noted == number(connection)?);
    }
    // One process at a time: whoever writes to the database.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = transaction.map_err(sql("open the table"))?;
    match noted(dir)? {
        Some(noted) => Ok(noted == number(&transaction)?),
        None => accept(dir, &transaction).map(|()| true),
    }
}

/// Notes a database, whichever was noted before. One process at a time does so.
pub(super) fn accept(dir: &DataDir, connection: &Connection) -> Result<(), Error> {
    let fresh = dir.root().join("table.sqlite3-id.new");
    let text = render(number(connection)?);
    replace(dir.disk().as_ref(), &path(dir), &fresh, text.as_bytes())
        .map_err(Error::io("note the table"))
}

fn number(connection: &Connection) -> Result<i64, Error> {
    let query = "SELECT value FROM meta WHERE name = 'identity'";
    connection.query_row(query, [], |row| row.get(0)).map_err(sql("open the table"))
}
