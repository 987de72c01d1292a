//! Counting the texts of a field.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::IndexName;
use crate::bounds::INDEX_FACET_VALUES_MAX;
use crate::port::{Facet, FacetValue};

/// How many matches have each text of a field.
#[derive(Debug, Default)]
pub(crate) struct FacetCount(BTreeMap<String, u64>);

impl FacetCount {
    /// Adds `count` matches with a text.
    pub(crate) fn add(&mut self, value: &str, count: u64) {
        match self.0.get_mut(value) {
            Some(known) => *known += count,
            None => drop(self.0.insert(value.to_owned(), count)),
        }
    }

    /// Returns the most frequent texts.
    pub(crate) fn finish(self, field: IndexName) -> Facet {
        let all = self.0.into_iter().filter(|(_, count)| *count > 0);
        let mut values: Vec<FacetValue> =
            all.map(|(value, count)| FacetValue { value, count }).collect();
        // The sort is stable, so equals stay in the order of their bytes.
        values.sort_by_key(|value| Reverse(value.count));
        let more = values.len().saturating_sub(INDEX_FACET_VALUES_MAX) as u64;
        values.truncate(INDEX_FACET_VALUES_MAX);
        Facet { field, values, more }
    }
}
