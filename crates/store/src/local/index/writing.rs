//! Replacing and removing sources.

use std::collections::HashMap;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{
    Connection, OptionalExtension as _, ToSql, Transaction, TransactionBehavior, params,
};

use super::database::IndexFailure;
use super::numbers::{collection_number, field_number};
use crate::IndexName;
use crate::bounds::{INDEX_BUSY_WAIT, TABLE_FOLD_WAIT};
use crate::index::tokens;
use crate::local::sqlite::be_patient;
use crate::port::{Collection, Document, FieldValue, IndexedSource};

impl ToSql for FieldValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// Replaces all documents of each source, together with its cursor.
pub(super) fn replace(
    connection: &mut Connection,
    collection: &Collection,
    sources: &[IndexedSource],
) -> Result<(), IndexFailure> {
    // The write lock is taken at once. A deferred transaction could read first, and then fail because another process
    // wrote in between.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut change = Change { transaction: &transaction, kinds: HashMap::new() };
    for older in change.versions(&collection.name, Some(collection.version))? {
        for source in sources {
            change.remove(older, &source.name)?;
        }
    }
    let collection = change.collection(collection)?;
    for source in sources {
        change.replace(collection, source)?;
    }
    change.count()?;
    Ok(transaction.commit()?)
}

/// Removes sources, and empties the write-ahead log, which still has what was removed.
pub(super) fn remove(
    connection: &mut Connection,
    collection: &IndexName,
    sources: &[String],
) -> Result<(), IndexFailure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let change = Change { transaction: &transaction, kinds: HashMap::new() };
    let mut is_changed = false;
    for version in change.versions(collection, None)? {
        for source in sources {
            is_changed |= change.remove(version, source)?;
        }
    }
    if !is_changed {
        return Ok(());
    }
    change.count()?;
    transaction.commit()?;
    // A reader in the way is no failure: nothing finds what was removed, and the next one empties the log.
    connection.busy_timeout(TABLE_FOLD_WAIT)?;
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    be_patient(connection, INDEX_BUSY_WAIT)?;
    Ok(emptied?)
}

/// A change that is being made.
struct Change<'t> {
    transaction: &'t Transaction<'t>,
    /// Numbers of the fields that were met.
    kinds: HashMap<IndexName, i64>,
}

impl Change<'_> {
    /// Returns the collections of this name, or only those below a version.
    fn versions(&self, name: &IndexName, below: Option<u32>) -> rusqlite::Result<Vec<i64>> {
        let query = "SELECT id FROM collections WHERE name = ?1 AND version < ?2";
        let below = below.map_or(i64::MAX, i64::from);
        let mut statement = self.transaction.prepare_cached(query)?;
        let rows = statement.query_map(params![name.as_str(), below], |row| row.get(0))?;
        rows.collect()
    }

    /// Returns the number of a collection, after adding it if it is new.
    fn collection(&self, collection: &Collection) -> rusqlite::Result<i64> {
        if let Some(number) = collection_number(self.transaction, collection)? {
            return Ok(number);
        }
        let Collection { name, version } = collection;
        let insert = "INSERT INTO collections (name, version) VALUES (?1, ?2)";
        self.transaction.prepare_cached(insert)?.insert(params![name.as_str(), version])
    }

    /// Returns the number of a field, after adding it if it is new.
    fn kind(&mut self, collection: i64, field: &IndexName) -> rusqlite::Result<i64> {
        if let Some(kind) = self.kinds.get(field) {
            return Ok(*kind);
        }
        let kind = if let Some(kind) = field_number(self.transaction, collection, field)? {
            kind
        } else {
            let insert = "INSERT INTO kinds (collection, field) VALUES (?1, ?2)";
            let mut statement = self.transaction.prepare_cached(insert)?;
            statement.insert(params![collection, field.as_str()])?
        };
        self.kinds.insert(field.clone(), kind);
        Ok(kind)
    }

    /// Counts one more change of the index.
    fn count(&self) -> rusqlite::Result<()> {
        let update = "UPDATE meta SET value = value + 1 WHERE name = 'version'";
        self.transaction.prepare_cached(update)?.execute([]).map(drop)
    }

    fn replace(&mut self, collection: i64, source: &IndexedSource) -> rusqlite::Result<()> {
        let IndexedSource { name, cursor, documents } = source;
        let put = "INSERT INTO sources (collection, name, cursor) VALUES (?1, ?2, ?3)
                   ON CONFLICT DO UPDATE SET cursor = excluded.cursor RETURNING id";
        let mut statement = self.transaction.prepare_cached(put)?;
        let number: i64 =
            statement.query_row(params![collection, name, cursor], |row| row.get(0))?;
        let mut known: HashMap<String, (i64, String)> = self.documents_of(number)?;
        for document in documents {
            let old = known.remove(&document.id);
            self.put(collection, number, document, old.as_ref())?;
        }
        for (id, text) in known.into_values() {
            self.remove_document(id, &text)?;
        }
        Ok(())
    }

    /// Returns the documents of a source by name, each with its number and text.
    fn documents_of(&self, source: i64) -> rusqlite::Result<HashMap<String, (i64, String)>> {
        let query = "SELECT name, id, text FROM documents WHERE source = ?1";
        let mut statement = self.transaction.prepare_cached(query)?;
        let rows =
            statement.query_map([source], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        rows.collect()
    }

    fn put(
        &mut self,
        collection: i64,
        source: i64,
        document: &Document,
        old: Option<&(i64, String)>,
    ) -> rusqlite::Result<()> {
        let Document { id: name, fields, text, payload } = document;
        let number = if let Some((number, _)) = old {
            let update = "UPDATE documents SET text = ?2, payload = ?3 WHERE id = ?1";
            let mut statement = self.transaction.prepare_cached(update)?;
            statement.execute(params![number, text, payload])?;
            self.remove_fields(*number)?;
            *number
        } else {
            let insert = "INSERT INTO documents (collection, source, name, text, payload)
                          VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut statement = self.transaction.prepare_cached(insert)?;
            statement.insert(params![collection, source, name, text, payload])?
        };
        for (field, value) in fields {
            let kind = self.kind(collection, field)?;
            let insert = "INSERT INTO fields (kind, value, document) VALUES (?1, ?2, ?3)";
            self.transaction.prepare_cached(insert)?.execute(params![kind, value, number])?;
        }
        // The words of a text that stays the same stay as well: they are most of the work.
        if old.is_none_or(|(_, old)| old != text) {
            if let Some((_, old)) = old {
                self.remove_words(number, old)?;
            }
            let insert = "INSERT INTO words (rowid, text) VALUES (?1, ?2)";
            self.transaction.prepare_cached(insert)?.execute(params![number, spaced(text)])?;
        }
        Ok(())
    }

    /// Removes a source with its documents. Returns false if there is none.
    fn remove(&self, collection: i64, name: &str) -> rusqlite::Result<bool> {
        let query = "SELECT id FROM sources WHERE collection = ?1 AND name = ?2";
        let mut statement = self.transaction.prepare_cached(query)?;
        let found = statement.query_row(params![collection, name], |row| row.get(0)).optional()?;
        let Some(source) = found else { return Ok(false) };
        for (document, text) in self.documents_of(source)?.into_values() {
            self.remove_document(document, &text)?;
        }
        self.transaction.prepare_cached("DELETE FROM sources WHERE id = ?1")?.execute([source])?;
        Ok(true)
    }

    fn remove_document(&self, document: i64, text: &str) -> rusqlite::Result<()> {
        self.remove_words(document, text)?;
        self.remove_fields(document)?;
        let delete = "DELETE FROM documents WHERE id = ?1";
        self.transaction.prepare_cached(delete)?.execute([document]).map(drop)
    }

    /// Removes the words of a document. The full-text table keeps no copy of a text, so it has to be told which.
    fn remove_words(&self, document: i64, text: &str) -> rusqlite::Result<()> {
        let delete = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?1, ?2)";
        let mut statement = self.transaction.prepare_cached(delete)?;
        statement.execute(params![document, spaced(text)]).map(drop)
    }

    fn remove_fields(&self, document: i64) -> rusqlite::Result<()> {
        let delete = "DELETE FROM fields WHERE document = ?1";
        self.transaction.prepare_cached(delete)?.execute([document]).map(drop)
    }
}

/// Returns the tokens of a text with spaces between them, which is all that the full-text table splits at.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for token in tokens(text) {
        spaced.push_str(&token.token);
        spaced.push(' ');
    }
    spaced
}
