//! The index: documents that are derived from something durable, found by fields and words.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StoreFuture;
use crate::IndexName;
use crate::index::{Excerpt, Term};

/// A kind of documents, and the version of the code that makes them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collection {
    pub name: IndexName,
    /// Another version never sees these documents.
    pub version: u32,
}

/// The value of a field. Numbers come before texts; texts are in the order of their bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldValue {
    Number(i64),
    Text(String),
}

impl From<i64> for FieldValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for FieldValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// One document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Name within its source.
    pub id: String,
    /// What it is filtered, counted and sorted by.
    pub fields: BTreeMap<IndexName, FieldValue>,
    /// What words are searched in, and excerpts are taken from.
    pub text: String,
    /// What a hit returns. The index does not look into it.
    pub payload: Vec<u8>,
}

/// All documents that are made from one thing, such as a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedSource {
    pub name: String,
    /// How far the source was read. Only its reader understands it.
    pub cursor: Vec<u8>,
    pub documents: Vec<Document>,
}

/// A condition on documents. A condition on a field does not hold for a document without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Every one of these holds; without any, this holds for every document.
    All(Vec<Filter>),
    /// At least one of these holds.
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Equals(IndexName, FieldValue),
    /// The field is a text that begins with this one.
    StartsWith(IndexName, String),
    /// The field is a number below this one.
    Less(IndexName, i64),
    /// The field is a number above this one.
    Greater(IndexName, i64),
    /// The text of the document has this term.
    Has(Term),
}

impl Filter {
    /// Returns the filter that holds for every document.
    pub const fn everything() -> Self {
        Self::All(Vec::new())
    }

    /// Returns the terms that a document must have because of this filter, or that can make it match: those that are
    /// not negated.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::terms).collect(),
            Self::Has(term) => vec![term],
            _ => Vec::new(),
        }
    }
}

/// The order of a query: by a field, then by source and id. Documents without the field come last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub field: IndexName,
    pub is_descending: bool,
}

/// A request for a page of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexQuery {
    pub collection: Collection,
    pub filter: Filter,
    /// Without one, documents are ordered by source and id.
    pub order: Option<Order>,
    /// Number of matches before the first hit.
    pub from: u64,
    /// Maximum number of hits. With 0, matches are only counted.
    pub limit: usize,
    /// Fields whose texts are counted over all matches.
    pub facets: Vec<IndexName>,
}

/// A document that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub source: String,
    pub id: String,
    pub payload: Vec<u8>,
    /// Where its text has the terms of the query; `None` if it has none of them, or the query none.
    pub excerpt: Option<Excerpt>,
}

/// The texts of a field and how many matches have each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    pub field: IndexName,
    /// The most frequent first; among equals, in the order of their bytes.
    pub values: Vec<FacetValue>,
    /// Number of further texts.
    pub more: u64,
}

/// A text of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    pub value: String,
    /// Number of matches that have it.
    pub count: u64,
}

/// A number that changes with every change of the index. An index that is made again does not repeat an earlier one,
/// except with negligible probability. It stays below 2^53, so that a page reads it exactly: it begins below 2^50, and
/// no index is changed often enough to get from there to the limit.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct IndexVersion(pub u64);

/// A page of the documents that match, all read at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPage {
    pub hits: Vec<Hit>,
    /// Number of all matches.
    pub total: u64,
    /// In the order in which they were asked for.
    pub facets: Vec<Facet>,
    pub version: IndexVersion,
}

/// Sources and how far each was read, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorPage {
    pub cursors: Vec<(String, Vec<u8>)>,
    /// True if there are more after the last of these.
    pub more: bool,
}

/// Sources with the payloads of their documents, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    pub sources: Vec<SourceEntry>,
    /// True if there are more after the last of these.
    pub more: bool,
}

/// A source with the ids and payloads of its documents, by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    pub name: String,
    pub cursor: Vec<u8>,
    pub documents: Vec<(String, Vec<u8>)>,
}

/// An index of documents that several processes use at once. Never truth: it may lose everything at any time, and
/// whoever reads it makes it again.
///
/// Promise:
/// - `replace` and `remove` happen completely or not at all, and everything that is read later sees them.
/// - What is removed or replaced is gone when the call returns: no query finds it, and no adapter keeps its bytes
///   longer than it takes readers of the moment to end.
/// - Words are those of [`tokens`](crate::index::tokens), and nothing else decides what a word is. Texts are compared
///   and ordered by their bytes. So every adapter answers alike.
/// - A page is of one moment, and names the version of the index at that moment.
pub trait Index: Send + Sync {
    /// Replaces all documents of each source, together with its cursor, and removes what older versions of the
    /// collection have of these sources. A source may occur once.
    fn replace<'a>(
        &'a self,
        collection: &'a Collection,
        sources: Vec<IndexedSource>,
    ) -> StoreFuture<'a, ()>;

    /// Removes sources with their documents, whatever the version of the collection. One that is not there is no
    /// error.
    fn remove<'a>(&'a self, collection: &'a IndexName, sources: Vec<String>)
    -> StoreFuture<'a, ()>;

    /// Returns up to `limit` sources after `after`, with their cursors. Reads no document.
    fn cursors<'a>(
        &'a self,
        collection: &'a Collection,
        after: Option<&'a str>,
        limit: usize, // tidy: port: a count
    ) -> StoreFuture<'a, CursorPage>;

    /// Returns up to `limit` sources after `after`, with the payloads of their documents. A page of large documents
    /// may end earlier; `more` says whether to continue.
    fn scan<'a>(
        &'a self,
        collection: &'a Collection,
        after: Option<&'a str>,
        limit: usize, // tidy: port: a count
    ) -> StoreFuture<'a, SourcePage>;

    /// Returns a page of the documents that match, with counts.
    fn query<'a>(&'a self, query: &'a IndexQuery) -> StoreFuture<'a, IndexPage>;
}
