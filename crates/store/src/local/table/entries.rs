//! Reading and changing entries, each call in one transaction.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::failure::sql;
use crate::{
    Error, LeaseName,
    bounds::TABLE_PAGE_BYTES_MAX,
    port::{Batch, Change, Entry, Expect, Key, Page, Version, Write},
    table::KeyRange,
};

/// What fails when a read does.
/// Asks for the number of the last commit that changed anything.
pub(super) const VERSION: &str = "SELECT value FROM meta WHERE name = 'version'";
const READING: &str = "read from the table";

/// The value of a key.
pub(super) fn get(
    connection: &Connection,
    table: &LeaseName,
    key: &[u8],
) -> Result<Option<Entry>, Error> {
    find(connection, table, key).map_err(sql(READING))
}

/// The values of several keys.
pub(super) fn get_all(
    connection: &Connection,
    table: &LeaseName,
    keys: &[Key],
) -> Result<Vec<Option<Entry>>, Error> {
    let read = || -> rusqlite::Result<_> {
        // It ends when it is dropped, and has nothing to write.
        let transaction = connection.unchecked_transaction()?;
        keys.iter().map(|key| find(&transaction, table, key)).collect()
    };
    read().map_err(sql(READING))
}

fn find(connection: &Connection, table: &LeaseName, key: &[u8]) -> rusqlite::Result<Option<Entry>> {
    let query = "SELECT key, value, version FROM entries WHERE \"table\" = ?1 AND key = ?2";
    connection.prepare_cached(query)?.query_row(params![table.as_str(), key], entry).optional()
}

/// One page of the keys in a range, read to its end before this returns.
pub(super) fn scan(
    connection: &Connection,
    table: &LeaseName,
    range: &KeyRange,
    limit: usize,
) -> Result<Page, Error> {
    let mut page = Page { entries: Vec::new(), more: false };
    if range.is_empty() {
        return Ok(page);
    }
    let read = |page: &mut Page| -> rusqlite::Result<()> {
        let query = if range.before.is_some() {
            "SELECT key, value, version FROM entries
             WHERE \"table\" = ?1 AND key >= ?2 AND key < ?3 ORDER BY key"
        } else {
            "SELECT key, value, version FROM entries
             WHERE \"table\" = ?1 AND key >= ?2 AND ?3 IS NULL ORDER BY key"
        };
        let mut statement = connection.prepare_cached(query)?;
        let mut rows = statement.query(params![table.as_str(), range.from, range.before])?;
        let mut bytes = 0;
        while let Some(row) = rows.next()? {
            if page.entries.len() == limit || bytes >= TABLE_PAGE_BYTES_MAX {
                page.more = true;
                break;
            }
            let entry = entry(row)?;
            bytes += entry.key.len() + entry.value.len();
            page.entries.push(entry);
        }
        Ok(())
    };
    read(&mut page).map_err(sql(READING))?;
    Ok(page)
}

/// Checks and changes keys, or changes none.
pub(super) fn commit(
    connection: &mut Connection,
    table: &LeaseName,
    batch: Batch,
) -> Result<Version, Error> {
    let failed = sql("commit to the table");
    let changes = batch.iter().any(|write| write.change != Change::Keep);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
    let differing = differing(&transaction, table, &batch).map_err(&failed)?;
    if !differing.is_empty() {
        return Err(Error::Conflict { keys: differing });
    }
    let version = apply(&transaction, table, batch, changes).map_err(&failed)?;
    transaction.commit().map_err(&failed)?;
    Ok(version)
}

/// The places in the batch of the keys that are not as expected.
fn differing(
    transaction: &Transaction<'_>,
    table: &LeaseName,
    batch: &[Write],
) -> rusqlite::Result<Vec<usize>> {
    let query = "SELECT version FROM entries WHERE \"table\" = ?1 AND key = ?2";
    let mut statement = transaction.prepare_cached(query)?;
    let mut differing = Vec::new();
    for (place, write) in batch.iter().enumerate() {
        if write.expect == Expect::Anything {
            continue;
        }
        let found = statement
            .query_row(params![table.as_str(), &*write.key], |row| row.get(0))
            .optional()?
            .map(Version);
        if !write.expect.holds(found) {
            differing.push(place);
        }
    }
    Ok(differing)
}

/// Makes the changes under a new version; without changes the version stays.
fn apply(
    transaction: &Transaction<'_>,
    table: &LeaseName,
    batch: Batch,
    changes: bool,
) -> rusqlite::Result<Version> {
    let number: u64 = transaction
        .prepare_cached(if changes {
            "UPDATE meta SET value = value + 1 WHERE name = 'version' RETURNING value"
        } else {
            VERSION
        })?
        .query_row([], |row| row.get(0))?;
    let mut put = transaction.prepare_cached(
        "INSERT INTO entries (\"table\", key, value, version) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET value = excluded.value, version = excluded.version",
    )?;
    let mut remove =
        transaction.prepare_cached("DELETE FROM entries WHERE \"table\" = ?1 AND key = ?2")?;
    for write in batch {
        match write.change {
            Change::Keep => {}
            Change::Put(value) => {
                put.execute(params![table.as_str(), &*write.key, value, number])?;
            }
            Change::Remove => {
                remove.execute(params![table.as_str(), &*write.key])?;
            }
        }
    }
    Ok(Version(number))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        key: row.get_ref(0)?.as_blob()?.into(),
        value: row.get(1)?,
        version: Version(row.get(2)?),
    })
}
