//! Some of the runs: by a filter and in an order, with counts.

use piton_core::{RunId, SessionId};
use piton_store::StreamId;
use piton_store::bounds::INDEX_HITS_MAX;
use piton_store::index::Excerpt;
use piton_store::port::{
    Facet, FieldValue, Filter, Hit, IndexQuery, IndexVersion, Order, StoreFuture,
};

use super::document::{RunField, decode, runs, unreadable};
use super::run_index::{RunIndex, UnreadableSession};
use crate::projection::RunSummary;

/// A request for some of the runs.
#[derive(Clone, Debug)]
pub struct RunIndexQuery {
    pub filter: Filter,
    pub sort: RunField,
    pub is_descending: bool,
    /// Number of matches before the first run.
    pub from: u64,
    /// Maximum number of runs.
    pub limit: usize,
    /// Fields whose texts are counted.
    pub facets: Vec<RunField>,
}

/// A run that the index has.
#[derive(Clone, Debug)]
pub struct IndexedRun {
    pub run: RunSummary,
    /// Where it has the words of the query.
    pub excerpt: Option<Excerpt>,
}

/// Some of the runs, as the index has them.
#[derive(Clone, Debug)]
pub struct RunFilterPage {
    pub runs: Vec<IndexedRun>,
    pub total: u64,
    pub facets: Vec<Facet>,
    /// Number of sessions that cannot be read.
    pub unreadable: u64,
    pub version: IndexVersion,
}

impl RunIndex {
    /// Returns a page of the runs that match, as the index has them. Reads no events, unless the index has a run
    /// wrong.
    pub fn page<'a>(&'a self, query: &'a RunIndexQuery) -> StoreFuture<'a, RunFilterPage> {
        Box::pin(async move {
            let order =
                Some(Order { field: query.sort.name(), is_descending: query.is_descending });
            let wanted = IndexQuery {
                collection: runs(),
                filter: query.filter.clone(),
                order,
                from: query.from,
                limit: query.limit,
                facets: query.facets.iter().map(|field| field.name()).collect(),
            };
            let mut page = self.index.query(&wanted).await?;
            // A document that cannot be right is made again, once. If it stays wrong, it is left out.
            let wrong = page.hits.iter().filter(|hit| decode(&hit.source, &hit.payload).is_none());
            let wrong: Vec<StreamId> = wrong.filter_map(|hit| hit.source.parse().ok()).collect();
            if !wrong.is_empty() {
                for stream in &wrong {
                    self.catch_up_with(stream).await;
                }
                page = self.index.query(&wanted).await?;
            }
            let unreadable = IndexQuery {
                collection: unreadable(),
                filter: Filter::everything(),
                order: None,
                limit: 0,
                facets: Vec::new(),
                ..wanted
            };
            let unreadable = self.index.query(&unreadable).await?.total;
            let run = |hit: Hit| {
                let run = decode(&hit.source, &hit.payload)?;
                Some(IndexedRun { run, excerpt: hit.excerpt })
            };
            Ok(RunFilterPage {
                runs: page.hits.into_iter().filter_map(run).collect(),
                total: page.total,
                facets: page.facets,
                unreadable,
                version: page.version,
            })
        })
    }

    /// Returns up to `limit` of the sessions that cannot be read, as they are indexed, with the reasons; and the number
    /// of the others.
    pub async fn unreadable(
        &self,
        limit: usize,
    ) -> Result<(Vec<UnreadableSession>, usize), piton_store::Error> {
        let query = IndexQuery {
            collection: unreadable(),
            filter: Filter::everything(),
            order: None,
            from: 0,
            limit,
            facets: Vec::new(),
        };
        let page = self.index.query(&query).await?;
        let left_out = page.total.saturating_sub(page.hits.len() as u64);
        let (loader, mut found) = (self.loader(), Vec::new());
        for hit in page.hits {
            let Ok(stream) = hit.source.parse() else { continue };
            // The index does not keep the reason, so it is found out again. One that can be read now is none of these.
            if let Err(trouble) = self.build(&stream, &loader).await {
                let runs = serde_json::from_slice(&hit.payload).unwrap_or_default();
                found.push(UnreadableSession { stream, trouble, runs });
            }
        }
        Ok((found, usize::try_from(left_out).unwrap_or(usize::MAX)))
    }

    /// Returns the session of a run, if the index knows it.
    pub async fn session_of(&self, run: RunId) -> Option<SessionId> {
        let query = IndexQuery {
            collection: runs(),
            filter: Filter::Equals(RunField::Run.name(), run.to_string().as_str().into()),
            order: None,
            from: 0,
            limit: 2,
            facets: Vec::new(),
        };
        match self.index.query(&query).await.ok()?.hits.as_slice() {
            [hit] => hit.source.parse().ok(),
            // Two sessions claim the run, as after an import that went wrong.
            _ => None,
        }
    }

    /// Returns the ids of a session's runs that the index knows.
    pub(super) async fn indexed_runs(&self, stream: &StreamId) -> Vec<RunId> {
        let session = FieldValue::from(stream.as_str());
        let mut query = IndexQuery {
            collection: runs(),
            filter: Filter::Equals(RunField::Session.name(), session),
            order: None,
            from: 0,
            limit: INDEX_HITS_MAX,
            facets: Vec::new(),
        };
        let known = self.index.query(&query).await.map(|page| page.hits).unwrap_or_default();
        let known = known.iter().filter_map(|hit| decode(&hit.source, &hit.payload));
        let known: Vec<RunId> = known.map(|run| run.run_id).collect();
        if !known.is_empty() {
            return known;
        }
        query.collection = unreadable();
        let noted = self.index.query(&query).await.map(|page| page.hits).unwrap_or_default();
        let noted = noted.iter().find_map(|hit| serde_json::from_slice(&hit.payload).ok());
        noted.unwrap_or_default()
    }
}
