//! Whether the database is the one that the data directory had: a deleted or replaced one must not pass for an empty or
//! a sound one.
//!
//! A database has a random number from its schema on. The first open of it notes that number in a file beside it. A
//! database with another number than the noted one is used by nobody until a repair accepts it. Each connection is
//! checked when it is opened; before a commit is acknowledged, the file is compared with the one that was opened.
//!
//! *Limitations*: whoever deletes both files begins anew. A handle that only reads goes on with the connections that it
//! has.
#![expect(clippy::disallowed_methods, reason = "asks which file it is, without opening it")]

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use rusqlite::{Connection, TransactionBehavior};

use super::{super::files::replace, connection, failure::sql};
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

/// The database that a handle uses.
pub(super) struct Database {
    path: PathBuf,
    file: FileId,
    /// Its number; nothing if none could be noted.
    noted: Option<i64>,
    is_replaced: AtomicBool,
}

/// Which file it is, as long as it is there.
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
    /// The database of `dir`, and a connection that reads it if it can be opened. Notes it if none is noted.
    pub(super) fn open(dir: &DataDir) -> Result<(Self, Option<Connection>), Error> {
        let path = dir.table();
        // Asked before: if another one takes its place meanwhile, the next check finds that.
        let file = FileId::of(&path)?.ok_or(Error::TableReplaced)?;
        // Makes and checks the schema; then it is there for the first read.
        let open = || {
            let mut first = connection::open_writer(&path)?;
            let noted = ensure_noted(dir, &mut first)?;
            let is_replaced = number(&first)? != noted;
            Ok((connection::only_reads(first)?, noted, is_replaced))
        };
        let (first, noted, is_replaced) = match open() {
            Ok((first, noted, is_replaced)) => (Some(first), Some(noted), is_replaced),
            Err(Error::TableDamaged { .. } | Error::Io { .. } | Error::Sql { .. }) => {
                (None, noted(dir)?, false)
            }
            Err(error) => return Err(error),
        };
        Ok((Self { path, file, noted, is_replaced: is_replaced.into() }, first))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses it if it was found to be another one than the data directory had.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.is_replaced.load(Ordering::Relaxed) { Err(Error::TableReplaced) } else { Ok(()) }
    }

    /// A connection that writes.
    pub(super) fn open_writer(&self) -> Result<Connection, Error> {
        self.check_file()?;
        self.checked(connection::open_writer(&self.path)?)
    }

    /// A connection that reads.
    pub(super) fn open_reader(&self) -> Result<Connection, Error> {
        self.check_file()?;
        self.checked(connection::open_reader(&self.path)?)
    }

    /// Refuses it if another file is in its place, or none.
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
            // What is damaged tells nothing, and something else may be readable all the same.
            (_, Ok(_) | Err(Error::TableDamaged { .. })) => Ok(connection),
            (_, Err(error)) => Err(error),
        }
    }

    fn replaced(&self) -> Error {
        self.is_replaced.store(true, Ordering::Relaxed);
        Error::TableReplaced
    }
}

/// The number that is noted: that of this database if none was.
pub(super) fn ensure_noted(dir: &DataDir, connection: &mut Connection) -> Result<i64, Error> {
    if let Some(noted) = noted(dir)? {
        return Ok(noted);
    }
    // One process at a time: whoever writes to the database.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = transaction.map_err(sql("open the table"))?;
    match noted(dir)? {
        Some(noted) => Ok(noted),
        None => accept(dir, &transaction),
    }
}

/// Notes a database, whichever was noted before. One process at a time does so.
pub(super) fn accept(dir: &DataDir, connection: &Connection) -> Result<i64, Error> {
    let fresh = dir.root().join("table.sqlite3-id.new");
    let number = number(connection)?;
    replace(dir.disk().as_ref(), &path(dir), &fresh, render(number).as_bytes())
        .map_err(Error::io("note the table"))?;
    Ok(number)
}

/// The number that a database has.
pub(super) fn number(connection: &Connection) -> Result<i64, Error> {
    let query = "SELECT value FROM meta WHERE name = 'identity'";
    connection.query_row(query, [], |row| row.get(0)).map_err(sql("open the table"))
}
