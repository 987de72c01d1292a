//! Refuses calls that break a limit of the index.

use std::collections::HashSet;

use crate::Error;
use crate::bounds::{
    INDEX_BATCH_BYTES_MAX, INDEX_BATCH_MAX, INDEX_CURSOR_BYTES_MAX, INDEX_DOCUMENTS_MAX,
    INDEX_FACETS_MAX, INDEX_FIELD_BYTES_MAX, INDEX_FIELDS_MAX, INDEX_FILTER_DEPTH_MAX,
    INDEX_FILTER_PARTS_MAX, INDEX_HITS_MAX, INDEX_NAME_BYTES_MAX, INDEX_PAGE_MAX,
    INDEX_PAYLOAD_BYTES_MAX, INDEX_TEXT_BYTES_MAX, check_size,
};
use crate::port::{Document, FieldValue, Filter, IndexQuery, IndexedSource};

const fn refused(problem: &'static str) -> Error {
    Error::BadRequest { problem }
}

/// Refuses sources that break a limit, or that name a source or a document twice.
pub(crate) fn check_replace(sources: &[IndexedSource]) -> Result<(), Error> {
    if sources.len() > INDEX_BATCH_MAX {
        return Err(refused("too many sources are replaced at once; make several calls"));
    }
    let (mut names, mut bytes) = (HashSet::new(), 0);
    for source in sources {
        check_name(&source.name)?;
        check_size("the cursor of a source", source.cursor.len(), INDEX_CURSOR_BYTES_MAX)?;
        if source.documents.len() > INDEX_DOCUMENTS_MAX {
            return Err(refused("a source has too many documents"));
        }
        if !names.insert(&source.name) {
            return Err(refused("a source is named twice"));
        }
        let mut ids = HashSet::new();
        for document in &source.documents {
            bytes += check_document(document)?;
            if !ids.insert(&document.id) {
                return Err(refused("a source names a document twice"));
            }
        }
    }
    check_size("a change of the index", bytes, INDEX_BATCH_BYTES_MAX)
}

/// Checks one document, and returns its size.
fn check_document(document: &Document) -> Result<usize, Error> {
    let Document { id, fields, text, payload } = document;
    check_name(id)?;
    check_size("the text of a document", text.len(), INDEX_TEXT_BYTES_MAX)?;
    check_size("the payload of a document", payload.len(), INDEX_PAYLOAD_BYTES_MAX)?;
    if fields.len() > INDEX_FIELDS_MAX {
        return Err(refused("a document has too many fields"));
    }
    let mut bytes = id.len() + text.len() + payload.len();
    for value in fields.values() {
        bytes += check_value(value)?;
    }
    Ok(bytes)
}

fn check_value(value: &FieldValue) -> Result<usize, Error> {
    match value {
        FieldValue::Number(_) => Ok(size_of::<i64>()),
        FieldValue::Text(text) => {
            check_size("a field", text.len(), INDEX_FIELD_BYTES_MAX).map(|()| text.len())
        }
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    if name.is_empty() {
        return Err(refused("a source or document has an empty name"));
    }
    check_size("the name of a source or document", name.len(), INDEX_NAME_BYTES_MAX)
}

/// Refuses a removal of too many sources at once.
pub(crate) fn check_remove(sources: &[String]) -> Result<(), Error> {
    if sources.len() > INDEX_BATCH_MAX {
        return Err(refused("too many sources are removed at once; make several calls"));
    }
    Ok(())
}

/// Refuses a page of no sources, and one of too many.
pub(crate) fn check_page(limit: usize) -> Result<(), Error> {
    if !(1..=INDEX_PAGE_MAX).contains(&limit) {
        return Err(refused("a page has at least one source, and not more than the largest page"));
    }
    Ok(())
}

/// Refuses a query that breaks a limit.
pub(crate) fn check_query(query: &IndexQuery) -> Result<(), Error> {
    if query.limit > INDEX_HITS_MAX {
        return Err(refused("a query asks for too many hits at once"));
    }
    if query.facets.len() > INDEX_FACETS_MAX {
        return Err(refused("a query counts too many fields at once"));
    }
    let mut parts = 0;
    check_filter(&query.filter, 0, &mut parts)
}

fn check_filter(filter: &Filter, depth: usize, parts: &mut usize) -> Result<(), Error> {
    *parts += 1;
    if depth > INDEX_FILTER_DEPTH_MAX || *parts > INDEX_FILTER_PARTS_MAX {
        return Err(refused("a filter has too many parts"));
    }
    match filter {
        Filter::All(inner) | Filter::Any(inner) => {
            inner.iter().try_for_each(|part| check_filter(part, depth + 1, parts))
        }
        Filter::Not(inner) => check_filter(inner, depth + 1, parts),
        Filter::Equals(_, value) => check_value(value).map(drop),
        Filter::StartsWith(_, text) => check_size("a field", text.len(), INDEX_FIELD_BYTES_MAX),
        Filter::Has(term) => {
            let bytes = term.tokens().iter().map(String::len).sum();
            check_size("a term", bytes, INDEX_FIELD_BYTES_MAX)
        }
        Filter::Less(..) | Filter::Greater(..) => Ok(()),
    }
}
