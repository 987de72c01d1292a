//! The files of the index, the schema, and the meaning of SQLite's errors.
//!
//! A database is called `v<format>-<generation>.sqlite3`. The one with the highest generation is in use. A damaged one,
//! or a file that is no database of ours, is followed by the next generation, empty; then the older ones are removed.
//! A name is not used again, because SQLite removes the files beside a database by name when it closes it, and another
//! process may do so at any time.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::types::FromSqlError;
use rusqlite::{Connection, ErrorCode, TransactionBehavior, ffi};

use crate::Error;
use crate::bounds::{
    INDEX_BUSY_WAIT, INDEX_WRITER_CACHE_KIB, TABLE_CHECKPOINT_PAGES, TABLE_WAL_BYTES_MAX,
};
use crate::local::DataDir;
use crate::local::file_ops::{names_in, unless_gone};
use crate::local::sqlite::{self, ReaderSource};

/// Version of the schema below and of the tokens in it. It changes whenever one of them does.
const FORMAT: u64 = 2;

/// The start of the version is random and below 2^50, so that an index that is made again does not repeat the versions of
/// the last.
const SCHEMA: &str = "
    CREATE TABLE meta (
        name TEXT NOT NULL PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE collections (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        version INTEGER NOT NULL,
        UNIQUE (name, version)
    ) STRICT;
    CREATE TABLE kinds (
        id INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL,
        field TEXT NOT NULL,
        UNIQUE (collection, field)
    ) STRICT;
    CREATE TABLE sources (
        id INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL,
        name TEXT NOT NULL,
        cursor BLOB NOT NULL,
        UNIQUE (collection, name)
    ) STRICT;
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL,
        source INTEGER NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        payload BLOB NOT NULL,
        UNIQUE (source, name)
    ) STRICT;
    CREATE INDEX documents_of_collection ON documents (collection);
    CREATE TABLE fields (
        kind INTEGER NOT NULL,
        value ANY NOT NULL,
        document INTEGER NOT NULL,
        PRIMARY KEY (kind, value, document)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fields_of_document ON fields (document, kind, value);
    CREATE VIRTUAL TABLE words USING fts5 (
        text, content = '', columnsize = 0, tokenize = 'ascii', prefix = '2 3'
    );
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
    INSERT INTO meta (name, value) VALUES
        ('format', 2), ('version', abs(random() % 1073741824) * 1048576);
";

/// Reason for a failure: an error of SQLite, or one of the store.
pub(super) enum IndexFailure {
    Sql(rusqlite::Error),
    Other(Error),
    /// The database cannot be what we wrote.
    Damaged,
}

impl From<rusqlite::Error> for IndexFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<FromSqlError> for IndexFailure {
    fn from(_: FromSqlError) -> Self {
        Self::Damaged
    }
}

impl From<Error> for IndexFailure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl IndexFailure {
    /// True if the database is not what we wrote, or is not there any more: an empty one helps.
    pub(super) fn is_damage(&self) -> bool {
        let Self::Sql(error) = self else { return matches!(self, Self::Damaged) };
        match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::QueryReturnedNoRows => true,
            _ => error.sqlite_error().is_some_and(|failure| {
                matches!(
                    failure.code,
                    ErrorCode::DatabaseCorrupt
                        | ErrorCode::NotADatabase
                        | ErrorCode::ConstraintViolation
                        | ErrorCode::CannotOpen
                ) || matches!(
                    failure.extended_code,
                    // Our statements fit our schema, so something else stands in the file.
                    ffi::SQLITE_ERROR | ffi::SQLITE_READONLY_DBMOVED | ffi::SQLITE_IOERR_SHORT_READ
                )
            }),
        }
    }

    /// Converts the failure of `operation` to an error. No message repeats SQLite's own, which may name a path.
    pub(super) fn into_error(self, operation: &'static str) -> Error {
        let message = match self {
            Self::Other(error) => return error,
            Self::Damaged => "the index is damaged".to_owned(),
            Self::Sql(error) => match (error.sqlite_error_code(), error.sqlite_error()) {
                (Some(ErrorCode::DatabaseBusy), _) => {
                    let waited_ms = u64::try_from(INDEX_BUSY_WAIT.as_millis()).unwrap_or(u64::MAX);
                    return Error::Busy { what: "the index".to_owned(), waited_ms };
                }
                (Some(ErrorCode::DiskFull), _) => {
                    let source = Arc::new(io::ErrorKind::StorageFull.into());
                    return Error::Io { operation, source };
                }
                (_, Some(failure)) => ffi::code_to_str(failure.extended_code).to_owned(),
                (_, None) => "the index does not have the expected form".to_owned(),
            },
        };
        Error::Sql { operation, message }
    }
}

/// One database of the index.
#[derive(Clone)]
pub(super) struct IndexFile {
    dir: DataDir,
    generation: u64,
    path: PathBuf,
    /// Tells this file from any other that has or had its name.
    incarnation: u128,
}

impl IndexFile {
    /// Returns the database in use, after creating the file if there is none. With `after`, returns one of a later
    /// generation.
    pub(super) fn find(dir: &DataDir, after: Option<u64>) -> Result<Self, Error> {
        let home = dir.index();
        let disk = dir.disk();
        disk.create_dir(&home).map_err(Error::io("make the directory of the index"))?;
        let names = names_in(disk.as_ref(), &home).map_err(Error::io("look for the index"))?;
        let newest = names.iter().filter_map(|name| generation(name)).max();
        let generation = match (newest, after) {
            (Some(newest), Some(after)) if newest <= after => after + 1,
            (Some(newest), _) => newest,
            (None, after) => after.unwrap_or(0) + 1,
        };
        let path = home.join(format!("v{FORMAT}-{generation}.sqlite3"));
        sqlite::create_file(&path).map_err(Error::io("make the index"))?;
        let stat = disk.stat(&path).map_err(Error::io("look at the index"))?;
        let incarnation = stat.ok_or_else(|| gone("look at the index"))?.incarnation;
        Ok(Self { dir: dir.clone(), generation, path, incarnation })
    }

    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    /// True if the file is still the one in use: a process that finds it damaged removes it.
    pub(super) fn is_current(&self) -> bool {
        let stat = self.dir.disk().stat(&self.path);
        matches!(stat, Ok(Some(stat)) if stat.incarnation == self.incarnation)
    }

    /// Removes the databases before this one, and those of older formats. What cannot be removed stays until the next
    /// time.
    pub(super) fn remove_older(&self) {
        let (disk, home) = (self.dir.disk(), self.dir.index());
        for name in names_in(disk.as_ref(), &home).unwrap_or_default() {
            let database =
                name.find(SUFFIX).map_or(name.as_str(), |end| &name[..end + SUFFIX.len()]);
            let Some((format, generation)) = parse(database) else { continue };
            if (format, generation) < (FORMAT, self.generation) {
                let _ = unless_gone(disk.remove_file(&home.join(&name)));
            }
        }
    }

    /// Opens the connection that writes, and creates the schema if there is none.
    pub(super) fn open_writer(&self) -> Result<Connection, IndexFailure> {
        let mut connection = sqlite::open(&self.path, INDEX_BUSY_WAIT)?;
        if !sqlite::write_ahead(&connection, INDEX_BUSY_WAIT)? {
            let message = sqlite::NO_WRITE_AHEAD.to_owned();
            return Err(Error::Sql { operation: "open the index", message }.into());
        }
        // A power cut may take back the newest changes. The next reader makes them again.
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "secure_delete", true)?;
        // Fields are inserted all over their tree. What does not fit here is read again for each of them.
        connection.pragma_update(None, "cache_size", -INDEX_WRITER_CACHE_KIB)?;
        connection.pragma_update(None, "wal_autocheckpoint", TABLE_CHECKPOINT_PAGES)?;
        connection.pragma_update(None, "journal_size_limit", TABLE_WAL_BYTES_MAX / 4)?;
        if is_empty(&connection)? {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have done so in the meantime.
            if is_empty(&transaction)? {
                transaction.execute_batch(SCHEMA)?;
            }
            transaction.commit()?;
        }
        let format: u64 = connection.query_row(sqlite::FORMAT_QUERY, [], |row| row.get(0))?;
        if format == FORMAT { Ok(connection) } else { Err(IndexFailure::Damaged) }
    }
}

impl ReaderSource for IndexFile {
    fn open_reader(&self) -> Result<Connection, Error> {
        let open = || sqlite::only_reads(sqlite::open(&self.path, INDEX_BUSY_WAIT)?);
        open().map_err(|error| IndexFailure::from(error).into_error("open the index"))
    }
}

const SUFFIX: &str = ".sqlite3";

/// Returns the format and the generation of a database by its name.
fn parse(name: &str) -> Option<(u64, u64)> {
    let (format, generation) = name.strip_prefix('v')?.strip_suffix(SUFFIX)?.split_once('-')?;
    Some((format.parse().ok()?, generation.parse().ok()?))
}

/// Returns the generation of a database of this format.
fn generation(name: &str) -> Option<u64> {
    parse(name).filter(|(format, _)| *format == FORMAT).map(|(_, generation)| generation)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let query = "SELECT NOT EXISTS (SELECT * FROM sqlite_schema)";
    connection.query_row(query, [], |row| row.get(0))
}

fn gone(operation: &'static str) -> Error {
    Error::io(operation)(io::ErrorKind::NotFound.into())
}
