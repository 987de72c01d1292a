//! The numbers of collections and of their fields, under which everything else refers to them.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::IndexName;
use crate::port::Collection;

/// Returns the number of a collection; `None` if nothing was ever written to it.
pub(super) fn collection_number(
    connection: &Connection,
    Collection { name, version }: &Collection,
) -> rusqlite::Result<Option<i64>> {
    let query = "SELECT id FROM collections WHERE name = ?1 AND version = ?2";
    let mut statement = connection.prepare_cached(query)?;
    statement.query_row(params![name.as_str(), version], |row| row.get(0)).optional()
}

/// Returns the number of a field; `None` if no document of the collection ever had it.
pub(super) fn field_number(
    connection: &Connection,
    collection: i64,
    field: &IndexName,
) -> rusqlite::Result<Option<i64>> {
    let query = "SELECT id FROM kinds WHERE collection = ?1 AND field = ?2";
    let mut statement = connection.prepare_cached(query)?;
    statement.query_row(params![collection, field.as_str()], |row| row.get(0)).optional()
}
