//! Finds the documents that match a filter, and puts them in order.

use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Params, params};

use super::database::IndexFailure;
use super::document_set::DocumentSet;
use super::match_cache::Matches;
use super::numbers::{collection_number, field_number};
use crate::IndexName;
use crate::bounds::INDEX_FEW_MATCHES;
use crate::index::{FacetCount, Term};
use crate::port::{Collection, Facet, FieldValue, Filter, IndexQuery, Order};

/// One collection, as a query reads it.
pub(super) struct CollectionReader<'c> {
    connection: &'c Connection,
    number: i64,
}

impl<'c> CollectionReader<'c> {
    /// Returns the reader of a collection; `None` if nothing was ever written to it.
    pub(super) fn new(
        connection: &'c Connection,
        collection: &Collection,
    ) -> rusqlite::Result<Option<Self>> {
        let number = collection_number(connection, collection)?;
        Ok(number.map(|number| Self { connection, number }))
    }

    pub(super) const fn number(&self) -> i64 {
        self.number
    }

    fn prepare(&self, query: &str) -> rusqlite::Result<CachedStatement<'c>> {
        self.connection.prepare_cached(query)
    }

    /// Returns the number of a field; `None` if no document has it.
    fn kind(&self, field: &IndexName) -> rusqlite::Result<Option<i64>> {
        field_number(self.connection, self.number, field)
    }

    /// Returns the documents that a query finds, whose first column is their number.
    fn find(&self, query: &str, params: impl Params) -> Result<DocumentSet, IndexFailure> {
        let mut found = DocumentSet::default();
        let mut statement = self.prepare(query)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            if !found.insert(row.get(0)?) {
                return Err(IndexFailure::Damaged);
            }
        }
        Ok(found)
    }

    /// Returns all documents of the collection.
    fn everything(&self) -> Result<DocumentSet, IndexFailure> {
        self.find("SELECT id FROM documents WHERE collection = ?1", [self.number])
    }

    /// Returns the documents that match a query, with counts.
    pub(super) fn matches(&self, query: &IndexQuery) -> Result<Matches, IndexFailure> {
        let documents = self.matching(&query.filter)?;
        let is_everything = query.filter == Filter::everything();
        let facets = query.facets.iter().map(|field| self.facet(field, &documents, is_everything));
        let facets = facets.collect::<Result<_, _>>()?;
        Ok(Matches { total: documents.len(), documents, facets })
    }

    /// Returns the documents that match a filter.
    fn matching(&self, filter: &Filter) -> Result<DocumentSet, IndexFailure> {
        match filter {
            Filter::All(parts) => {
                let mut all: Option<DocumentSet> = None;
                // A negation is taken away at the end, from what is left, instead of from everything.
                let (negated, others): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| matches!(part, Filter::Not(_)));
                for part in others {
                    let found = self.matching(part)?;
                    match &mut all {
                        Some(all) => all.intersect(&found),
                        None => all = Some(found),
                    }
                }
                let mut all = all.map_or_else(|| self.everything(), Ok)?;
                for part in negated {
                    if let Filter::Not(part) = part {
                        all.subtract(&self.matching(part)?);
                    }
                }
                Ok(all)
            }
            Filter::Any(parts) => {
                let mut any = DocumentSet::default();
                for part in parts {
                    any.union(&self.matching(part)?);
                }
                Ok(any)
            }
            Filter::Not(part) => {
                let mut others = self.everything()?;
                others.subtract(&self.matching(part)?);
                Ok(others)
            }
            Filter::Equals(field, value) => {
                let Some(kind) = self.kind(field)? else { return Ok(DocumentSet::default()) };
                let query = "SELECT document FROM fields WHERE kind = ?1 AND value = ?2";
                self.find(query, params![kind, value])
            }
            Filter::StartsWith(field, start) => self.starting_with(field, start),
            Filter::Less(field, bound) => {
                let Some(kind) = self.kind(field)? else { return Ok(DocumentSet::default()) };
                // In SQLite's order every number comes before every text.
                let query = "SELECT document FROM fields WHERE kind = ?1 AND value < ?2";
                self.find(query, params![kind, bound])
            }
            Filter::Greater(field, bound) => {
                let Some(kind) = self.kind(field)? else { return Ok(DocumentSet::default()) };
                let query =
                    "SELECT document FROM fields WHERE kind = ?1 AND value > ?2 AND value < ''";
                self.find(query, params![kind, bound])
            }
            Filter::Has(term) => self.with_term(term),
        }
    }

    fn starting_with(&self, field: &IndexName, start: &str) -> Result<DocumentSet, IndexFailure> {
        let mut found = DocumentSet::default();
        let Some(kind) = self.kind(field)? else { return Ok(found) };
        let query =
            "SELECT document, value FROM fields WHERE kind = ?1 AND value >= ?2 ORDER BY value";
        let mut statement = self.prepare(query)?;
        let mut rows = statement.query(params![kind, start])?;
        while let Some(row) = rows.next()? {
            // Texts with the same start follow each other, from the start itself on.
            if !row.get_ref(1)?.as_bytes()?.starts_with(start.as_bytes()) {
                break;
            }
            if !found.insert(row.get(0)?) {
                return Err(IndexFailure::Damaged);
            }
        }
        Ok(found)
    }

    fn with_term(&self, term: &Term) -> Result<DocumentSet, IndexFailure> {
        // Tokens have no quotation marks, so nothing in the phrase needs to be escaped.
        let star = if term.is_prefix() { " *" } else { "" };
        let phrase = format!("\"{}\"{star}", term.tokens().join(" "));
        let mut found = self.find("SELECT rowid FROM words WHERE words MATCH ?1", [phrase])?;
        // All collections share the full-text table.
        let query = "SELECT EXISTS (SELECT * FROM collections WHERE id <> ?1)";
        if self.prepare(query)?.query_row([self.number], |row| row.get(0))? {
            found.intersect(&self.everything()?);
        }
        Ok(found)
    }

    /// Returns up to `limit` of the documents after the first `from`, in order.
    pub(super) fn page(
        &self,
        matches: &DocumentSet,
        order: Option<&Order>,
        from: usize,
        limit: usize,
    ) -> Result<Vec<i64>, IndexFailure> {
        let mut page = Window { from, limit, place: 0, documents: Vec::new() };
        let kind = match order {
            Some(order) => self.kind(&order.field)?.map(|kind| (kind, order.is_descending)),
            None => None,
        };
        let mut rest = matches.clone();
        if let Some((kind, is_descending)) = kind {
            if matches.len() <= INDEX_FEW_MATCHES {
                self.few_by_value(&mut page, &mut rest, kind, is_descending)?;
            } else {
                self.many_by_value(&mut page, &mut rest, kind, is_descending)?;
            }
        }
        // Documents without the field come last.
        self.add_group(&mut page, &rest)?;
        Ok(page.documents)
    }

    /// Adds documents by the value of a field, and takes them out of `rest`: looks up the value of each.
    fn few_by_value(
        &self,
        page: &mut Window,
        rest: &mut DocumentSet,
        kind: i64,
        is_descending: bool,
    ) -> Result<(), IndexFailure> {
        let query = "SELECT value FROM fields WHERE document = ?1 AND kind = ?2";
        let mut statement = self.prepare(query)?;
        let mut valued: Vec<(FieldValue, i64)> = Vec::new();
        for document in rest.iter() {
            let value = statement.query_row([document, kind], |row| Ok(value(row.get_ref(0)?)));
            if let Some(value) = value.optional()? {
                valued.push((value.ok_or(IndexFailure::Damaged)?, document));
            }
        }
        valued.sort();
        let mut groups: Vec<&[(FieldValue, i64)]> =
            valued.chunk_by(|one, other| one.0 == other.0).collect();
        if is_descending {
            groups.reverse();
        }
        for group in groups {
            let documents = group.iter().map(|(_, document)| *document).collect();
            rest.subtract(&documents);
            self.add_group(page, &documents)?;
        }
        Ok(())
    }

    /// Adds documents by the value of a field, and takes them out of `rest`: goes through the values in order.
    fn many_by_value(
        &self,
        page: &mut Window,
        rest: &mut DocumentSet,
        kind: i64,
        is_descending: bool,
    ) -> Result<(), IndexFailure> {
        let query = if is_descending {
            "SELECT document, value FROM fields WHERE kind = ?1 ORDER BY value DESC"
        } else {
            "SELECT document, value FROM fields WHERE kind = ?1 ORDER BY value"
        };
        let mut statement = self.prepare(query)?;
        let mut rows = statement.query([kind])?;
        let (mut seen, mut group) = (DocumentSet::default(), Vec::new());
        let mut last: Option<FieldValue> = None;
        while let Some(row) = rows.next()? {
            let document: i64 = row.get(0)?;
            if !rest.contains(document) {
                continue;
            }
            let here = row.get_ref(1)?;
            if !last.as_ref().is_some_and(|last| is_same(last, here)) {
                self.add_documents(page, &mut group)?;
                if page.is_full() {
                    break;
                }
                last = value(here);
            }
            group.push(document);
            seen.insert(document);
        }
        self.add_documents(page, &mut group)?;
        rest.subtract(&seen);
        Ok(())
    }

    /// Adds a group of documents that have the same value, and empties it.
    fn add_documents(&self, page: &mut Window, group: &mut Vec<i64>) -> Result<(), IndexFailure> {
        // Most values are of one document, and most groups are before the page.
        if let [document] = group.as_slice() {
            page.add_one(*document);
        } else if page.place + group.len() <= page.from {
            page.place += group.len();
        } else {
            self.add_group(page, &group.iter().copied().collect())?;
        }
        group.clear();
        Ok(())
    }

    /// Adds documents in the order of their sources and ids.
    fn add_group(&self, page: &mut Window, group: &DocumentSet) -> Result<(), IndexFailure> {
        let count = group.len();
        if page.is_full() || page.place + count <= page.from {
            page.place += count;
            return Ok(());
        }
        if count > INDEX_FEW_MATCHES {
            let query = "SELECT d.id FROM sources AS s CROSS JOIN documents AS d ON d.source = s.id
                         WHERE s.collection = ?1 ORDER BY s.name, d.name";
            let mut statement = self.prepare(query)?;
            let mut rows = statement.query([self.number])?;
            while let (false, Some(row)) = (page.is_full(), rows.next()?) {
                let document = row.get(0)?;
                if group.contains(document) {
                    page.add_one(document);
                }
            }
            return Ok(());
        }
        let query = "SELECT s.name, d.name FROM documents AS d JOIN sources AS s ON s.id = d.source
                     WHERE d.id = ?1";
        let mut statement = self.prepare(query)?;
        let mut named: Vec<(String, String, i64)> = Vec::with_capacity(count);
        for document in group.iter() {
            let name = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, document));
            named.push(statement.query_row([document], name)?);
        }
        named.sort();
        for (_, _, document) in named {
            page.add_one(document);
        }
        Ok(())
    }

    /// Counts the texts of a field over the documents that match, which may be all of the collection.
    fn facet(
        &self,
        field: &IndexName,
        matches: &DocumentSet,
        is_everything: bool,
    ) -> Result<Facet, IndexFailure> {
        let mut count = FacetCount::default();
        let Some(kind) = self.kind(field)? else { return Ok(count.finish(field.clone())) };
        if is_everything {
            let query =
                "SELECT value, count(*) FROM fields WHERE kind = ?1 AND value >= '' GROUP BY value";
            let mut statement = self.prepare(query)?;
            let mut rows = statement.query([kind])?;
            while let Some(row) = rows.next()? {
                count.add(row.get_ref(0)?.as_str()?, row.get(1)?);
            }
        } else if matches.len() <= INDEX_FEW_MATCHES {
            let query =
                "SELECT value FROM fields WHERE document = ?1 AND kind = ?2 AND value >= ''";
            let mut statement = self.prepare(query)?;
            for document in matches.iter() {
                let mut rows = statement.query([document, kind])?;
                if let Some(row) = rows.next()? {
                    count.add(row.get_ref(0)?.as_str()?, 1);
                }
            }
        } else {
            let query = "SELECT document, value FROM fields WHERE kind = ?1 AND value >= ''
                         ORDER BY value";
            let mut statement = self.prepare(query)?;
            let mut rows = statement.query([kind])?;
            let (mut last, mut number) = (String::new(), 0);
            while let Some(row) = rows.next()? {
                if !matches.contains(row.get(0)?) {
                    continue;
                }
                let text = row.get_ref(1)?.as_str()?;
                if text != last {
                    count.add(&last, number);
                    (last, number) = (text.to_owned(), 0);
                }
                number += 1;
            }
            count.add(&last, number);
        }
        Ok(count.finish(field.clone()))
    }
}

/// A page that is being filled: documents are added in order, and only some of them are in it.
struct Window {
    from: usize,
    limit: usize,
    /// Number of documents so far.
    place: usize,
    documents: Vec<i64>,
}

impl Window {
    fn is_full(&self) -> bool {
        self.documents.len() >= self.limit
    }

    fn add_one(&mut self, document: i64) {
        if self.place >= self.from && !self.is_full() {
            self.documents.push(document);
        }
        self.place += 1;
    }
}

/// Returns the value of a field; `None` if it is none that we write.
fn value(found: ValueRef<'_>) -> Option<FieldValue> {
    match found {
        ValueRef::Integer(number) => Some(FieldValue::Number(number)),
        ValueRef::Text(text) => Some(FieldValue::Text(str::from_utf8(text).ok()?.to_owned())),
        _ => None,
    }
}

/// True if the two are the same value.
fn is_same(value: &FieldValue, found: ValueRef<'_>) -> bool {
    match (value, found) {
        (FieldValue::Number(number), ValueRef::Integer(found)) => *number == found,
        (FieldValue::Text(text), ValueRef::Text(found)) => text.as_bytes() == found,
        _ => false,
    }
}
