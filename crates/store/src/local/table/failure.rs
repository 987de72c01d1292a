//! The meaning of SQLite's errors for the store.
//!
//! Invariants: no message repeats SQLite's own message in full, because that may name a path.

use std::io;
use std::sync::Arc;

use rusqlite::{ErrorCode, ffi};

use crate::Error;
use crate::bounds::TABLE_BUSY_WAIT;

/// Reason for a failure: an error of SQLite, or one of the store.
pub(super) enum TableFailure {
    Sql(rusqlite::Error),
    Other(Error),
}

impl TableFailure {
    /// Converts the failure of `operation` to an error.
    pub(super) fn into_error(self, operation: &'static str) -> Error {
        match self {
            Self::Sql(error) => sql(operation)(error),
            Self::Other(error) => error,
        }
    }
}

impl From<rusqlite::Error> for TableFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// Returns a function that converts an error of SQLite in `operation`.
pub(super) fn sql(operation: &'static str) -> impl Fn(rusqlite::Error) -> Error {
    move |error| match (&error, error.sqlite_error_code()) {
        (_, Some(ErrorCode::DatabaseBusy)) => Error::Busy {
            what: "the table".to_owned(),
            waited_ms: u64::try_from(TABLE_BUSY_WAIT.as_millis()).unwrap_or(u64::MAX),
        },
        (_, Some(ErrorCode::DiskFull)) => {
            Error::Io { operation, source: Arc::new(io::ErrorKind::StorageFull.into()) }
        }
        // No write of ours breaks a constraint, and no row of ours lacks a column or has another type in it.
        (
            _,
            Some(
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation,
            ),
        )
        | (
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::QueryReturnedNoRows,
            _,
        ) => Error::TableDamaged { operation },
        // Our statements fit our schema and what we write into it, so something else stands in the file.
        _ if error.sqlite_error().is_some_and(|it| it.extended_code == ffi::SQLITE_ERROR) => {
            Error::TableDamaged { operation }
        }
        (rusqlite::Error::SqliteFailure(failure, _), _) => {
            Error::Sql { operation, message: ffi::code_to_str(failure.extended_code).to_owned() }
        }
        _ => Error::Sql {
            operation,
            message: "the database does not have the expected form".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use piton_core::Code;

    use super::*;

    fn failure(code: i32) -> rusqlite::Error {
        let message = Some("/home/someone/table.sqlite3".to_owned());
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), message)
    }

    #[test]
    fn each_failure_has_its_code_and_none_names_a_path() {
        let cases = [
            (
                ffi::SQLITE_BUSY,
                Code::StoreBusy,
                "the table is in use elsewhere; waited 5000 ms for it",
            ),
            (
                ffi::SQLITE_BUSY_RECOVERY,
                Code::StoreBusy,
                "the table is in use elsewhere; waited 5000 ms for it",
            ),
            (ffi::SQLITE_FULL, Code::StoreFull, "could not commit: no storage space"),
            (ffi::SQLITE_IOERR_FSYNC, Code::StoreIo, "could not commit: disk I/O error"),
            (
                ffi::SQLITE_CORRUPT,
                Code::StoreTableDamaged,
                "could not commit: table.sqlite3 is damaged",
            ),
            (
                ffi::SQLITE_ERROR,
                Code::StoreTableDamaged,
                "could not commit: table.sqlite3 is damaged",
            ),
        ];
        for (number, code, text) in cases {
            let error = sql("commit")(failure(number));
            assert_eq!((error.code(), error.to_string()), (code, text.to_owned()));
        }
        let error = sql("commit")(rusqlite::Error::QueryReturnedNoRows);
        assert_eq!(error.code(), Code::StoreTableDamaged);
        let error = sql("commit")(rusqlite::Error::InvalidPath("/home/someone".into()));
        assert!(!error.to_string().contains("someone"), "{error}");
    }
}
