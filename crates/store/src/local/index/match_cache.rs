//! The matches of the newest queries, so that the next page of the same list costs its rows alone.
//!
//! *Invariants*: what is kept is of one version of the index, and a version never comes again, so it is right for as long
//! as that version is the newest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::document_set::DocumentSet;
use crate::IndexName;
use crate::bounds::INDEX_MATCHES_KEPT;
use crate::port::{Collection, Facet, Filter, IndexQuery, IndexVersion};

/// The documents that match a query, and their counts.
pub(super) struct Matches {
    pub(super) documents: DocumentSet,
    pub(super) total: usize,
    pub(super) facets: Vec<Facet>,
}

/// The parts of a query that its matches depend on.
#[derive(PartialEq, Eq)]
struct MatchKey {
    version: IndexVersion,
    collection: Collection,
    filter: Filter,
    facets: Vec<IndexName>,
}

/// The matches of a few queries, the newest last.
#[derive(Default)]
pub(super) struct MatchCache(Mutex<VecDeque<(MatchKey, Arc<Matches>)>>);

impl MatchCache {
    /// Returns the matches of a query at a version of the index, and finds them if they are not known.
    pub(super) fn get_or_find<E>(
        &self,
        version: IndexVersion,
        query: &IndexQuery,
        find: impl FnOnce() -> Result<Matches, E>,
    ) -> Result<Arc<Matches>, E> {
        let IndexQuery { collection, filter, facets, .. } = query;
        let (collection, filter, facets) = (collection.clone(), filter.clone(), facets.clone());
        let key = MatchKey { version, collection, filter, facets };
        let known = |entries: &VecDeque<(MatchKey, Arc<Matches>)>| {
            entries.iter().find(|(known, _)| *known == key).map(|(_, found)| Arc::clone(found))
        };
        // A panic leaves the entries whole, because each change is one call.
        let entries = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known(&entries()) {
            return Ok(found);
        }
        // Not under the lock: two readers that look for the same do so twice, and nobody waits for them.
        let found = Arc::new(find()?);
        let mut entries = entries();
        entries.retain(|(known, _)| known.version >= version && *known != key);
        if entries.len() >= INDEX_MATCHES_KEPT {
            entries.pop_front();
        }
        entries.push_back((key, Arc::clone(&found)));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(field: &str, from: u64) -> IndexQuery {
        IndexQuery {
            collection: Collection { name: "runs".parse().unwrap(), version: 1 },
            filter: Filter::Less(field.parse().unwrap(), 1),
            order: None,
            from,
            limit: 10,
            facets: Vec::new(),
        }
    }

    #[test]
    fn matches_are_found_once_for_each_filter_and_version() {
        let (cache, mut found) = (MatchCache::default(), 0);
        let mut get = |version, query: &IndexQuery| {
            let find = || {
                found += 1;
                let documents = DocumentSet::default();
                Ok::<_, ()>(Matches { documents, total: found, facets: Vec::new() })
            };
            cache.get_or_find(IndexVersion(version), query, find).unwrap().total
        };
        assert_eq!((get(1, &query("a", 0)), get(1, &query("a", 50))), (1, 1), "another page");
        assert_eq!(get(1, &query("b", 0)), 2, "another filter");
        assert_eq!(get(2, &query("a", 0)), 3, "another version");
        assert_eq!(get(2, &query("a", 0)), 3);
        // A reader that began before the change is answered from what it sees.
        assert_eq!(get(1, &query("a", 0)), 4);
        for number in 0..2 * INDEX_MATCHES_KEPT {
            get(2, &query(&format!("f{number}"), 0));
        }
        assert!(cache.0.lock().unwrap().len() <= INDEX_MATCHES_KEPT);
    }
}
