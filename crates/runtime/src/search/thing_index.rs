//! The documents of one kind in the index.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::Envelope;
use piton_store::bounds::{INDEX_BATCH_MAX, INDEX_PAGE_MAX, INDEX_TEXT_BYTES_MAX};
use piton_store::port::{
    Collection, Document, FieldValue, Filter, Index, IndexQuery, IndexedSource,
};
use piton_store::{Error, IndexName};

use super::found::{FoundGroup, FoundKind, FoundThing, ThingName};
use crate::bounds::SEARCH_BATCH_BYTES;

/// Version of the fields, the text and the payload of a document.
const DOCUMENT_VERSION: u32 = 1;

/// The documents of one kind, of one project or of all.
pub(super) struct ThingIndex<'a> {
    pub(super) index: &'a dyn Index,
    pub(super) kind: FoundKind,
    /// What the names of its sources begin with, where only those of one project count.
    pub(super) scope: String,
}

/// A thing that can be found.
pub(super) struct IndexedThing {
    pub(super) name: ThingName,
    /// What words are searched in.
    pub(super) text: String,
}

/// Returns the name of the collection of a kind.
pub(super) fn collection_name(kind: FoundKind) -> IndexName {
    format!("{}-names", kind.as_str()).parse().expect("letters and a dash are a name")
}

fn scope_field() -> IndexName {
    "scope".parse().expect("letters are a name")
}

impl ThingIndex<'_> {
    fn collection(&self) -> Collection {
        Collection { name: collection_name(self.kind), version: DOCUMENT_VERSION }
    }

    /// Returns the sources that the index has, each with how far it was read.
    pub(super) async fn known(&self) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let (collection, mut known, mut after) =
            (self.collection(), BTreeMap::new(), None::<String>);
        loop {
            let page = self.index.cursors(&collection, after.as_deref(), INDEX_PAGE_MAX).await?;
            after = page.cursors.last().map(|(name, _)| name.clone());
            known
                .extend(page.cursors.into_iter().filter(|(name, _)| name.starts_with(&self.scope)));
            if !page.more {
                return Ok(known);
            }
        }
    }

    /// Returns a source with its things as documents.
    pub(super) fn source(
        &self,
        name: String,
        cursor: Vec<u8>,
        things: impl IntoIterator<Item = IndexedThing>,
    ) -> IndexedSource {
        let document = |(number, thing): (usize, IndexedThing)| Document {
            // Numbers of equal length are in the order of their texts.
            id: format!("{number:06}"),
            fields: BTreeMap::from([(scope_field(), FieldValue::from(self.scope.as_str()))]),
            text: thing.text[..thing.text.floor_char_boundary(INDEX_TEXT_BYTES_MAX)].to_owned(),
            payload: serde_json::to_vec(&thing.name).expect("a name is made of texts"),
        };
        let documents = things.into_iter().enumerate().map(document).collect();
        IndexedSource { name, cursor, documents }
    }

    /// Writes sources, some at a time.
    pub(super) async fn write(&self, sources: Vec<IndexedSource>) -> Result<(), Error> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for source in sources {
            batch_size(&source, &mut bytes);
            batch.push(source);
            if batch.len() == INDEX_BATCH_MAX || bytes >= SEARCH_BATCH_BYTES {
                self.index.replace(&self.collection(), std::mem::take(&mut batch)).await?;
                bytes = 0;
            }
        }
        if batch.is_empty() { Ok(()) } else { self.index.replace(&self.collection(), batch).await }
    }

    /// Removes the sources that are known and are not among `current`.
    pub(super) async fn remove_gone(
        &self,
        known: &BTreeMap<String, Vec<u8>>,
        current: &BTreeSet<String>,
    ) -> Result<(), Error> {
        let gone: Vec<String> =
            known.keys().filter(|name| !current.contains(*name)).cloned().collect();
        for some in gone.chunks(INDEX_BATCH_MAX) {
            self.index.remove(&collection_name(self.kind), some.to_vec()).await?;
        }
        Ok(())
    }

    /// Returns the first things that have all terms.
    pub(super) async fn find(
        &self,
        terms: &[Filter],
        limit: usize,
        unindexed: usize,
    ) -> Result<FoundGroup, Envelope> {
        let scope = FieldValue::from(self.scope.as_str());
        let mut parts = vec![Filter::Equals(scope_field(), scope)];
        parts.extend_from_slice(terms);
        let query = IndexQuery {
            collection: self.collection(),
            filter: Filter::All(parts),
            order: None,
            from: 0,
            limit,
            facets: Vec::new(),
        };
        let page = self.index.query(&query).await?;
        // A document that another version wrote, or that is damaged, is left out and still counted.
        let things = page.hits.into_iter().filter_map(|hit| {
            let name = serde_json::from_slice(&hit.payload).ok()?;
            Some(FoundThing { name, excerpt: hit.excerpt })
        });
        let things = things.collect();
        Ok(FoundGroup { kind: self.kind, things, total: page.total, unindexed, unavailable: None })
    }
}

fn batch_size(source: &IndexedSource, bytes: &mut usize) {
    let size = |document: &Document| document.text.len() + document.payload.len();
    *bytes += source.documents.iter().map(size).sum::<usize>();
}
