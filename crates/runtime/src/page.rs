//! Parts of long lists.

use schemars::JsonSchema;
use serde::Deserialize;

/// A part of a long list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Page {
    /// Number of items before the page.
    pub from: usize,
    /// Number of items. Each list has a maximum of its own.
    pub limit: usize,
}

impl Default for Page {
    /// Returns the first page, as long as the list allows.
    fn default() -> Self {
        Self { from: 0, limit: usize::MAX }
    }
}

impl Page {
    /// Returns the items of the page, of which there are at most `max`, and the number of items behind it.
    pub fn of<T>(self, items: Vec<T>, max: usize) -> (Vec<T>, usize) {
        let rest = items.len().saturating_sub(self.from);
        let limit = self.limit.clamp(1, max);
        let page = items.into_iter().skip(self.from).take(limit).collect();
        (page, rest.saturating_sub(limit))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Page;

    proptest! {
        #[test]
        fn pages_one_after_the_other_are_the_whole(items in prop::collection::vec(any::<u8>(), 0..40), limit in 1_usize..9) {
            let (mut whole, mut left) = (Vec::new(), items.len());
            while left > 0 {
                let (page, left_out) = Page { from: whole.len(), limit }.of(items.clone(), 7);
                prop_assert!(page.len() <= limit.min(7) && page.len() + left_out == left);
                whole.extend(page);
                left = left_out;
            }
            prop_assert_eq!(whole, items);
        }
    }
}
