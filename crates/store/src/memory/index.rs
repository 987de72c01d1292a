//! An index in memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bounds::INDEX_PAGE_BYTES_MAX;
use crate::index::{
    Excerpt, FacetCount, check_page, check_query, check_remove, check_replace, tokens,
};
use crate::port::{
    Collection, CursorPage, Document, FieldValue, Filter, Hit, Index, IndexPage, IndexQuery,
    IndexVersion, IndexedSource, Order, SourceEntry, SourcePage, StoreFuture,
};
use crate::{Error, IndexName};

/// An index in memory. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryIndex {
    state: Arc<Mutex<IndexState>>,
}

#[derive(Default)]
struct IndexState {
    collections: BTreeMap<Collection, BTreeMap<String, StoredSource>>,
    version: u64,
}

struct StoredSource {
    cursor: Vec<u8>,
    documents: BTreeMap<String, StoredDocument>,
}

struct StoredDocument {
    document: Document,
    tokens: Vec<String>,
}

/// A document with the name of its source.
type Match<'a> = (&'a str, &'a StoredDocument);

impl MemoryIndex {
    /// Creates an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, IndexState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Document> for StoredDocument {
    fn from(document: Document) -> Self {
        let tokens = tokens(&document.text).map(|token| token.token).collect();
        Self { document, tokens }
    }
}

impl StoredDocument {
    fn matches(&self, filter: &Filter) -> bool {
        let field = |name| self.document.fields.get(name);
        match filter {
            Filter::All(parts) => parts.iter().all(|part| self.matches(part)),
            Filter::Any(parts) => parts.iter().any(|part| self.matches(part)),
            Filter::Not(part) => !self.matches(part),
            Filter::Equals(name, value) => field(name) == Some(value),
            Filter::StartsWith(name, start) => {
                matches!(field(name), Some(FieldValue::Text(text)) if text.starts_with(start))
            }
            Filter::Less(name, bound) => {
                matches!(field(name), Some(FieldValue::Number(number)) if number < bound)
            }
            Filter::Greater(name, bound) => {
                matches!(field(name), Some(FieldValue::Number(number)) if number > bound)
            }
            Filter::Has(term) => term.is_in(&self.tokens),
        }
    }
}

impl IndexState {
    fn sources(
        &self,
        collection: &Collection,
        after: Option<&str>,
    ) -> impl Iterator<Item = (&String, &StoredSource)> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let sources = self.collections.get(collection).into_iter();
        sources.flat_map(move |sources| sources.range::<str, _>((start, Bound::Unbounded)))
    }

    /// Returns a source of a scan, and the size of its payloads.
    fn entry(name: &str, source: &StoredSource) -> (SourceEntry, usize) {
        let payload = |stored: &StoredDocument| stored.document.payload.clone();
        let documents: Vec<_> =
            source.documents.iter().map(|(id, stored)| (id.clone(), payload(stored))).collect();
        let bytes = documents.iter().map(|(_, payload)| payload.len()).sum();
        (SourceEntry { name: name.to_owned(), cursor: source.cursor.clone(), documents }, bytes)
    }

    fn query(&self, query: &IndexQuery) -> IndexPage {
        let all = self.sources(&query.collection, None).flat_map(|(name, source)| {
            source.documents.values().map(move |stored| (name.as_str(), stored))
        });
        let mut matches: Vec<Match<'_>> =
            all.filter(|(_, stored)| stored.matches(&query.filter)).collect();
        if let Some(order) = &query.order {
            sort(&mut matches, order);
        }
        let terms = query.filter.terms();
        let from = usize::try_from(query.from).unwrap_or(usize::MAX);
        let page = matches.iter().skip(from).take(query.limit);
        let hits = page.map(|(source, StoredDocument { document, .. })| Hit {
            source: (*source).to_owned(),
            id: document.id.clone(),
            payload: document.payload.clone(),
            excerpt: Excerpt::of(&document.text, &terms),
        });
        let facets = query.facets.iter().map(|field| {
            let mut count = FacetCount::default();
            for (_, stored) in &matches {
                if let Some(FieldValue::Text(text)) = stored.document.fields.get(field) {
                    count.add(text, 1);
                }
            }
            count.finish(field.clone())
        });
        IndexPage {
            hits: hits.collect(),
            total: matches.len() as u64,
            facets: facets.collect(),
            version: IndexVersion(self.version),
        }
    }
}

/// Sorts matches that are in the order of their sources and ids. The sort is stable, so equals stay in that order.
fn sort(matches: &mut [Match<'_>], Order { field, is_descending }: &Order) {
    let value = |(_, stored): &Match<'_>| stored.document.fields.get(field).cloned();
    if *is_descending {
        // `None` is the least, so reversed it is the last.
        matches.sort_by_key(|one| Reverse(value(one)));
    } else {
        matches.sort_by_key(|one| {
            let value = value(one);
            (value.is_none(), value)
        });
    }
}

impl Index for MemoryIndex {
    fn replace<'a>(
        &'a self,
        collection: &'a Collection,
        sources: Vec<IndexedSource>,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            check_replace(&sources)?;
            let mut state = self.state();
            state.version += 1;
            for (other, kept) in &mut state.collections {
                if other.name == collection.name && other.version < collection.version {
                    for source in &sources {
                        kept.remove(&source.name);
                    }
                }
            }
            let kept = state.collections.entry(collection.clone()).or_default();
            for IndexedSource { name, cursor, documents } in sources {
                let documents = documents.into_iter().map(|one| (one.id.clone(), one.into()));
                kept.insert(name, StoredSource { cursor, documents: documents.collect() });
            }
            Ok(())
        })
    }

    fn remove<'a>(
        &'a self,
        collection: &'a IndexName,
        sources: Vec<String>,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            check_remove(&sources)?;
            let mut state = self.state();
            let mut is_changed = false;
            for (_, kept) in state.collections.iter_mut().filter(|(one, _)| one.name == *collection)
            {
                for source in &sources {
                    is_changed |= kept.remove(source).is_some();
                }
            }
            state.version += u64::from(is_changed);
            Ok(())
        })
    }

    fn cursors<'a>(
        &'a self,
        collection: &'a Collection,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, CursorPage> {
        Box::pin(async move {
            check_page(limit)?;
            let state = self.state();
            let mut sources = state.sources(collection, after);
            let cursors = sources.by_ref().take(limit);
            let cursors = cursors.map(|(name, source)| (name.clone(), source.cursor.clone()));
            Ok(CursorPage { cursors: cursors.collect(), more: sources.next().is_some() })
        })
    }

    fn scan<'a>(
        &'a self,
        collection: &'a Collection,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, SourcePage> {
        Box::pin(async move {
            check_page(limit)?;
            let state = self.state();
            let mut page = SourcePage { sources: Vec::new(), more: false };
            let mut room = INDEX_PAGE_BYTES_MAX;
            for (name, source) in state.sources(collection, after) {
                if page.sources.len() == limit || room == 0 {
                    page.more = true;
                    break;
                }
                let (entry, bytes) = IndexState::entry(name, source);
                room = room.saturating_sub(bytes);
                page.sources.push(entry);
            }
            Ok(page)
        })
    }

    fn query<'a>(&'a self, query: &'a IndexQuery) -> StoreFuture<'a, IndexPage> {
        Box::pin(async move {
            check_query(query)?;
            Ok::<_, Error>(self.state().query(query))
        })
    }
}
