//! Pages of cursors, of sources, and of hits with counts.

use rusqlite::{Connection, params};

use super::database::IndexFailure;
use super::match_cache::MatchCache;
use super::matching::CollectionReader;
use crate::bounds::INDEX_PAGE_BYTES_MAX;
use crate::index::{Excerpt, FacetCount};
use crate::local::sqlite::VERSION_QUERY;
use crate::port::{
    Collection, CursorPage, Hit, IndexPage, IndexQuery, IndexVersion, SourceEntry, SourcePage,
};

const SOURCES: &str = "SELECT name, cursor, id FROM sources
                       WHERE collection = ?1 AND name > ?2 ORDER BY name LIMIT ?3";

/// Returns sources with their cursors.
pub(super) fn cursors(
    connection: &Connection,
    collection: &Collection,
    after: Option<&str>,
    limit: usize,
) -> Result<CursorPage, IndexFailure> {
    let mut page = CursorPage { cursors: Vec::new(), more: false };
    let Some(reader) = CollectionReader::new(connection, collection)? else { return Ok(page) };
    let mut statement = connection.prepare_cached(SOURCES)?;
    // No name is empty, so every one comes after the empty text. One more than wanted shows whether there are more.
    let mut rows =
        statement.query(params![reader.number(), after.unwrap_or_default(), limit as u64 + 1])?;
    while let Some(row) = rows.next()? {
        if page.cursors.len() == limit {
            page.more = true;
            break;
        }
        page.cursors.push((row.get(0)?, row.get(1)?));
    }
    Ok(page)
}

/// Returns sources with the payloads of their documents.
pub(super) fn scan(
    connection: &Connection,
    collection: &Collection,
    after: Option<&str>,
    limit: usize,
) -> Result<SourcePage, IndexFailure> {
    // One transaction, so that a source and its documents are of one moment.
    let transaction = connection.unchecked_transaction()?;
    let mut page = SourcePage { sources: Vec::new(), more: false };
    let Some(reader) = CollectionReader::new(&transaction, collection)? else { return Ok(page) };
    let mut statement = transaction.prepare_cached(SOURCES)?;
    let query = "SELECT name, payload FROM documents WHERE source = ?1 ORDER BY name";
    let mut documents = transaction.prepare_cached(query)?;
    let mut rows =
        statement.query(params![reader.number(), after.unwrap_or_default(), limit as u64 + 1])?;
    let mut room = INDEX_PAGE_BYTES_MAX;
    while let Some(row) = rows.next()? {
        if page.sources.len() == limit || room == 0 {
            page.more = true;
            break;
        }
        let source: i64 = row.get(2)?;
        let documents = documents.query_map([source], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let documents: Vec<(String, Vec<u8>)> = documents.collect::<Result<_, _>>()?;
        let bytes = documents.iter().map(|(_, payload)| payload.len()).sum();
        room = room.saturating_sub(bytes);
        page.sources.push(SourceEntry { name: row.get(0)?, cursor: row.get(1)?, documents });
    }
    Ok(page)
}

/// Returns a page of the documents that match, with counts, all of one moment.
pub(super) fn query(
    connection: &Connection,
    query: &IndexQuery,
    cache: &MatchCache,
) -> Result<IndexPage, IndexFailure> {
    let transaction = connection.unchecked_transaction()?;
    let version = transaction.prepare_cached(VERSION_QUERY)?.query_row([], |row| row.get(0))?;
    let version = IndexVersion(version);
    let Some(reader) = CollectionReader::new(&transaction, &query.collection)? else {
        let nothing = |field: &crate::IndexName| FacetCount::default().finish(field.clone());
        let facets = query.facets.iter().map(nothing).collect();
        return Ok(IndexPage { hits: Vec::new(), total: 0, facets, version });
    };
    let matches = cache.get_or_find(version, query, || reader.matches(query))?;
    let from = usize::try_from(query.from).unwrap_or(usize::MAX);
    let page = reader.page(&matches.documents, query.order.as_ref(), from, query.limit)?;
    let terms = query.filter.terms();
    let hit = "SELECT s.name, d.name, d.payload, d.text FROM documents AS d
               JOIN sources AS s ON s.id = d.source WHERE d.id = ?1";
    let mut hit = transaction.prepare_cached(hit)?;
    let mut hits = Vec::with_capacity(page.len());
    for document in page {
        hits.push(hit.query_row([document], |row| {
            let text = row.get_ref(3)?.as_str()?;
            let excerpt = Excerpt::of(text, &terms);
            Ok(Hit { source: row.get(0)?, id: row.get(1)?, payload: row.get(2)?, excerpt })
        })?);
    }
    let (total, facets) = (matches.total as u64, matches.facets.clone());
    Ok(IndexPage { hits, total, facets, version })
}
