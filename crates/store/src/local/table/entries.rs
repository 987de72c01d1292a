//! Reading and changing entries, each call in one transaction.
//!
//! Invariants: an entry is written with a checksum over its table, key, value and version, and is returned only if it
//! still matches that checksum. Entries of the first version of the schema have none until they are written again.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::failure::{TableFailure, sql};
use crate::bounds::{TABLE_KEY_SHOWN_MAX, TABLE_PAGE_BYTES_MAX};
use crate::local::sqlite::VERSION_QUERY;
use crate::port::{Batch, EntryChange, EntryVersion, Expect, Key, Page, TableEntry, TableWrite};
use crate::table::KeyRange;
use crate::{Error, LeaseName};

/// Query for the entries of all tables.
pub(super) const ALL_ENTRIES: &str =
    "SELECT \"table\", key, value, commit_number, checksum FROM entries";

/// Operation named in errors about reading.
const READING: &str = "read from the table";

/// Returns the value of a key.
pub(super) fn get(
    connection: &Connection,
    table: &LeaseName,
    key: &[u8],
) -> Result<Option<TableEntry>, Error> {
    find(connection, table, key).map_err(|failure| failure.into_error(READING))
}

/// Returns the values of several keys, all as of one moment.
pub(super) fn get_all(
    connection: &Connection,
    table: &LeaseName,
    keys: &[Key],
) -> Result<Vec<Option<TableEntry>>, Error> {
    let read = || -> Result<_, TableFailure> {
        // The transaction ends when it is dropped; it has nothing to write.
        let transaction = connection.unchecked_transaction()?;
        keys.iter().map(|key| find(&transaction, table, key)).collect()
    };
    read().map_err(|failure| failure.into_error(READING))
}

fn find(
    connection: &Connection,
    table: &LeaseName,
    key: &[u8],
) -> Result<Option<TableEntry>, TableFailure> {
    let query = "SELECT key, value, commit_number, checksum FROM entries
                 WHERE \"table\" = ?1 AND key = ?2";
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query(params![table.as_str(), key])?;
    rows.next()?.map(|row| entry(table, row)).transpose()
}

/// Returns one page of the keys in a range. The query is finished when this returns.
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
    let read = |page: &mut Page| -> Result<(), TableFailure> {
        let query = if range.before.is_some() {
            "SELECT key, value, commit_number, checksum FROM entries
             WHERE \"table\" = ?1 AND key >= ?2 AND key < ?3 ORDER BY key"
        } else {
            "SELECT key, value, commit_number, checksum FROM entries
             WHERE \"table\" = ?1 AND key >= ?2 AND ?3 IS NULL ORDER BY key"
        };
        let mut statement = connection.prepare_cached(query)?;
        let mut rows = statement.query(params![table.as_str(), range.from, range.before])?;
        let mut bytes = 0;
        while let Some(row) = rows.next()? {
            // Checked before the row is taken, so `more` is set only if there is a row to continue with.
            if page.entries.len() == limit || bytes >= TABLE_PAGE_BYTES_MAX {
                page.more = true;
                break;
            }
            let entry = entry(table, row)?;
            bytes += entry.key.len() + entry.value.len();
            page.entries.push(entry);
        }
        Ok(())
    };
    read(&mut page).map_err(|failure| failure.into_error(READING))?;
    Ok(page)
}

/// Checks all expectations and makes all changes, or makes none.
pub(super) fn commit(
    connection: &mut Connection,
    table: &LeaseName,
    batch: Batch,
) -> Result<EntryVersion, Error> {
    let failed = sql("commit to the table");
    let changes = batch.iter().any(|write| write.change != EntryChange::Keep);
    // The write lock is taken at once. A deferred transaction could read first, and then fail because another process
    // wrote in between.
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

/// Returns the positions in the batch of the keys that are not as expected.
fn differing(
    transaction: &Transaction<'_>,
    table: &LeaseName,
    batch: &[TableWrite],
) -> rusqlite::Result<Vec<usize>> {
    let query = "SELECT commit_number FROM entries WHERE \"table\" = ?1 AND key = ?2";
    let mut statement = transaction.prepare_cached(query)?;
    let mut differing = Vec::new();
    // All keys are checked, not only up to the first conflict: the caller gets every key that differs.
    for (place, write) in batch.iter().enumerate() {
        if write.expect == Expect::Anything {
            continue;
        }
        let found = statement
            .query_row(params![table.as_str(), &*write.key], |row| row.get(0))
            .optional()?
            .map(EntryVersion);
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
) -> rusqlite::Result<EntryVersion> {
    let number: u64 = transaction
        .prepare_cached(if changes {
            "UPDATE meta SET value = value + 1 WHERE name = 'version' RETURNING value"
        } else {
            VERSION_QUERY
        })?
        .query_row([], |row| row.get(0))?;
    let mut put = transaction.prepare_cached(
        "INSERT INTO entries (\"table\", key, value, commit_number, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET value = excluded.value, commit_number = excluded.commit_number,
                                   checksum = excluded.checksum",
    )?;
    let mut remove =
        transaction.prepare_cached("DELETE FROM entries WHERE \"table\" = ?1 AND key = ?2")?;
    for write in batch {
        match write.change {
            EntryChange::Keep => {}
            EntryChange::Put(value) => {
                let checksum = checksum(table.as_str(), &write.key, &value, number);
                put.execute(params![table.as_str(), &*write.key, value, number, checksum])?;
            }
            EntryChange::Remove => {
                remove.execute(params![table.as_str(), &*write.key])?;
            }
        }
    }
    Ok(EntryVersion(number))
}

/// Reads an entry from a row of its key, value, version and checksum.
fn entry(table: &LeaseName, row: &Row<'_>) -> Result<TableEntry, TableFailure> {
    let (key, value) = (blob(row, 0)?, blob(row, 1)?);
    let number = row.get(2)?;
    // Checked on every read: a damaged value must not be used or written back.
    if !is_whole(table.as_str(), key, value, number, row.get(3)?) {
        let (table, key) = (table.to_string(), display_key(key));
        return Err(TableFailure::Other(Error::EntryDamaged { table, key }));
    }
    Ok(TableEntry { key: key.into(), value: value.to_vec(), version: EntryVersion(number) })
}

fn blob<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    Ok(row.get_ref(column)?.as_blob()?)
}

/// True if an entry matches its checksum, or was written before there were checksums.
pub(super) fn is_whole(
    table: &str,
    key: &[u8],
    value: &[u8],
    number: u64,
    found: Option<i32>,
) -> bool {
    found.is_none_or(|found| found == checksum(table, key, value, number))
}

/// Computes the CRC-32 of an entry. A length precedes each variable part before the value, so that no byte can move
/// from one part to the next.
fn checksum(table: &str, key: &[u8], value: &[u8], number: u64) -> i32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_be_bytes());
    for part in [table.as_bytes(), key] {
        // Names and keys are far shorter than the largest number that fits in two bytes.
        hasher.update(&u16::try_from(part.len()).unwrap_or(u16::MAX).to_be_bytes());
        hasher.update(part);
    }
    hasher.update(value);
    // SQLite stores a signed 32-bit number in four bytes, and an unsigned one may take six.
    hasher.finalize().cast_signed()
}

/// Formats a key for display: escapes unprintable characters, and leaves out the middle of a long key. The beginning
/// says what the key is about, and the end is often a name.
pub(super) fn display_key(key: &[u8]) -> String {
    const MARK: &str = "…";
    let text = key.escape_ascii().to_string();
    if text.len() <= TABLE_KEY_SHOWN_MAX {
        return text;
    }
    let room = TABLE_KEY_SHOWN_MAX - MARK.len();
    let (start, end) = (room / 2, text.len() - room.div_ceil(2));
    [&text[..start], MARK, &text[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_the_crc_32_of_what_an_entry_is_made_of() {
        // From Python's zlib.crc32.
        assert_eq!(checksum("context", b"key", b"value", 258).cast_unsigned(), 0x8081_8546);
    }

    #[test]
    fn a_long_key_is_shown_with_its_beginning_and_its_end() {
        let key = [b"workspaces/virtual/1/", [0xff; 48].as_slice(), b"notes/name.txt"].concat();
        let text = display_key(&key);
        assert!(text.starts_with("workspaces/virtual/1/") && text.ends_with("notes/name.txt"));
        assert_eq!((text.len(), text.matches('…').count()), (TABLE_KEY_SHOWN_MAX, 1), "{text}");
        assert_eq!(display_key(b"short\n"), "short\\n");
    }

    #[test]
    fn every_part_of_an_entry_counts_and_where_it_ends() {
        let of = |table, key: &str, value: &str, number| {
            checksum(table, key.as_bytes(), value.as_bytes(), number)
        };
        let first = of("t", "key", "value", 1);
        for other in [
            of("u", "key", "value", 1),
            of("t", "kez", "value", 1),
            of("t", "key", "valuf", 1),
            of("t", "key", "value", 2),
            of("t", "keyv", "alue", 1),
            of("tk", "ey", "value", 1),
        ] {
            assert_ne!(first, other);
        }
    }
}
