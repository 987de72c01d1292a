//! Detects a database that is not the one that the data directory had: a deleted database must not pass for an empty
//! one, nor a replaced one for a sound one.
//!
//! A database gets a random number together with its schema. The first open notes that number in a file beside it. No
//! process uses a database with another number than the noted one until a repair accepts it. Each connection is checked
//! when it is opened; before a commit is acknowledged, the file is compared with the one that was opened.
//!
//! *Limitations*: deleting both files starts over without a warning. A handle that only reads continues with the
//! connections that it has.
#![expect(clippy::disallowed_methods, reason = "asks which file it is, without opening it")]

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use rusqlite::{Connection, TransactionBehavior};

use super::connection;
use super::failure::sql;
use crate::Error;
use crate::local::DataDir;
use crate::local::file_ops::{read_if_fits, replace};
use crate::local::sqlite::ReaderSource;

/// Maximum number of bytes read of a note: more than one has.
const NOTE_BYTES_MAX: u64 = 64;

fn path(dir: &DataDir) -> PathBuf {
    dir.root().join("table.sqlite3-id")
}

/// Writes the number twice, so that a damaged note is recognised and counts as none.
fn render(number: i64) -> String {
    format!("{number:016x}\n{number:016x}\n")
}

/// Returns the number that is noted.
pub(super) fn noted(dir: &DataDir) -> Result<Option<i64>, Error> {
    let bytes = read_if_fits(dir.disk().as_ref(), &path(dir), NOTE_BYTES_MAX);
    let bytes = bytes.map_err(Error::io("read the note of the table"))?.unwrap_or_default();
    let digits = bytes.get(..16).and_then(|digits| std::str::from_utf8(digits).ok());
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let number = number.map(u64::cast_signed);
    Ok(number.filter(|number| render(*number).as_bytes() == bytes))
}

/// The database that a handle uses.
pub(super) struct Database {
    path: PathBuf,
    file: FileId,
    /// The noted number; `None` if none could be noted.
    noted: Option<i64>,
    is_replaced: AtomicBool,
}

/// Device and inode of a file, which identify it for as long as it exists.
#[derive(PartialEq, Eq)]
struct FileId(u64, u64);

impl FileId {
    fn of(path: &Path) -> Result<Option<Self>, Error> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some(Self(metadata.dev(), metadata.ino()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("open the table")(error)),
        }
    }
}

impl Database {
    /// Opens the database of `dir`, and a reading connection to it if possible. Notes the database if none is noted.
    pub(super) fn open(dir: &DataDir) -> Result<(Self, Option<Connection>), Error> {
        let path = dir.table();
        // Looked up before opening: if another file takes its place in between, the next check finds that.
        let file = FileId::of(&path)?.ok_or(Error::TableReplaced)?;
        // Creates and checks the schema, so that it exists for the first read.
        let open = || {
            let mut first = connection::open_writer(&path)?;
            let noted = ensure_noted(dir, &mut first)?;
            let is_replaced = number(&first)? != noted;
            Ok((connection::only_reads(first)?, noted, is_replaced))
        };
        let (first, noted, is_replaced) = match open() {
            Ok((first, noted, is_replaced)) => (Some(first), Some(noted), is_replaced),
            // A damaged database opens all the same. Every use of it reports the damage, and a repair can run.
            Err(Error::TableDamaged { .. } | Error::Io { .. } | Error::Sql { .. }) => {
                (None, noted(dir)?, false)
            }
            Err(error) => return Err(error),
        };
        Ok((Self { path, file, noted, is_replaced: is_replaced.into() }, first))
    }

    /// Returns the path of the database file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses the database if it was found to be another one than the data directory had.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.is_replaced.load(Ordering::Relaxed) { Err(Error::TableReplaced) } else { Ok(()) }
    }

    /// Opens a connection that writes.
    pub(super) fn open_writer(&self) -> Result<Connection, Error> {
        self.check_file()?;
        self.checked(connection::open_writer(&self.path)?)
    }

    /// Refuses the database if another file is in its place, or none.
    pub(super) fn check_file(&self) -> Result<(), Error> {
        if FileId::of(&self.path)?.as_ref() == Some(&self.file) {
            Ok(())
        } else {
            Err(self.replaced())
        }
    }

    fn checked(&self, connection: Connection) -> Result<Connection, Error> {
        match (self.noted, number(&connection)) {
            (Some(noted), Ok(number)) if noted != number => Err(self.replaced()),
            // Damage proves nothing about identity, and some of the database may still be readable.
            (_, Ok(_) | Err(Error::TableDamaged { .. })) => Ok(connection),
            (_, Err(error)) => Err(error),
        }
    }

    fn replaced(&self) -> Error {
        // Remembered for good: every later call of this handle is refused as well.
        self.is_replaced.store(true, Ordering::Relaxed);
        Error::TableReplaced
    }
}

impl ReaderSource for Database {
    fn open_reader(&self) -> Result<Connection, Error> {
        self.check_file()?;
        self.checked(connection::open_reader(&self.path)?)
    }
}

/// Returns the noted number, after noting that of this database if there was none.
pub(super) fn ensure_noted(dir: &DataDir, connection: &mut Connection) -> Result<i64, Error> {
    if let Some(noted) = noted(dir)? {
        return Ok(noted);
    }
    // One process at a time does this: the one that holds SQLite's write lock.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = transaction.map_err(sql("open the table"))?;
    match noted(dir)? {
        Some(noted) => Ok(noted),
        None => accept(dir, &transaction),
    }
}

/// Notes a database, replacing any earlier note. One process at a time does so.
pub(super) fn accept(dir: &DataDir, connection: &Connection) -> Result<i64, Error> {
    let fresh = dir.root().join("table.sqlite3-id.new");
    let number = number(connection)?;
    replace(dir.disk().as_ref(), &path(dir), &fresh, render(number).as_bytes())
        .map_err(Error::io("note the table"))?;
    Ok(number)
}

/// Returns the number of a database.
pub(super) fn number(connection: &Connection) -> Result<i64, Error> {
    let query = "SELECT value FROM meta WHERE name = 'identity'";
    connection.query_row(query, [], |row| row.get(0)).map_err(sql("open the table"))
}
