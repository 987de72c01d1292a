//! Search across both Stores of an overlay, with the upper one in front.

use std::sync::Arc;

use super::store::OverlayStore;
use super::view::View;
use crate::bounds::OVERLAY_CHANGES_MAX;
use crate::path::MountPath;
use crate::search::{Search, SearchResult};
use crate::store::{Store, StoreFault};
use crate::virtual_store::DirectoryRow;

impl OverlayStore {
    /// Runs a search over both Stores.
    pub(super) async fn search_both(
        &self,
        search: &Arc<Search>,
    ) -> Result<SearchResult, StoreFault> {
        let (upper, lower, above) = loop {
            let (upper, lower) = match self.view(&search.start).await? {
                View::Upper => (true, false),
                View::Hidden => return Err(StoreFault::NotFound),
                View::Lower => (false, true),
                View::Merged { lower } => (true, lower),
            };
            let above = if upper {
                self.upper.search(Arc::clone(search)).await
            } else {
                Ok(SearchResult::default())
            };
            // A directory that hid the lower one may have been applied during the search. Then its entries are below,
            // where this search would not look: decide again.
            if lower || self.still_hides(&search.start).await? {
                break (upper, lower, above);
            }
        };
        let above = match above {
            // The directory only led to deeper changes, and was removed when the last of them was applied.
            Err(StoreFault::NotFound) if lower => SearchResult::default(),
            above => above?,
        };
        if !lower || self.lower_mask.hides(&search.start).is_some() {
            return Ok(above);
        }
        // Read after the upper search: a row that is gone by now was found above, and duplicates are removed below.
        let covered = if upper { self.covered(&search.start).await? } else { Vec::new() };
        let inner = self.lower_mask.merged(&search.mask).with_covered(covered);
        let query = Search { mask: Arc::new(inner), ..Search::clone(search) };
        let below = match self.lower.search(Arc::new(query)).await {
            Err(StoreFault::NotFound) if upper => SearchResult::default(),
            below => below?,
        };
        Ok(joined(above, below, search))
    }

    /// Returns the paths under a directory at which a row hides the lower entry.
    async fn covered(&self, start: &MountPath) -> Result<Vec<MountPath>, StoreFault> {
        let mut covered = Vec::new();
        let mut waiting = vec![start.clone()];
        while let Some(path) = waiting.pop() {
            for (name, row) in self.rows_above(&path).await? {
                let Ok(below) = path.child(&name) else {
                    continue;
                };
                match row {
                    DirectoryRow::Directory { opaque: false, .. } => waiting.push(below),
                    DirectoryRow::Directory { .. }
                    | DirectoryRow::File { .. }
                    | DirectoryRow::Whiteout { .. } => {
                        covered.push(below);
                    }
                }
                if covered.len() + waiting.len() > OVERLAY_CHANGES_MAX {
                    return Err(StoreFault::limit("changes in an overlay", OVERLAY_CHANGES_MAX));
                }
            }
        }
        Ok(covered)
    }
}

/// Merges two results in path order.
fn joined(above: SearchResult, below: SearchResult, search: &Search) -> SearchResult {
    let mut skipped = above.skipped;
    skipped.add(below.skipped);
    let mut both = SearchResult::new(skipped);
    // Files and matches beyond the limits of each half are only counted; carry those counts over.
    let unkept_files =
        above.files_total + below.files_total - (above.files.len() + below.files.len()) as u64;
    let kept = |found: &SearchResult| found.files.iter().map(|file| file.matches).sum::<u64>();
    let unkept_matches = above.matches_total + below.matches_total - kept(&above) - kept(&below);
    let mut files = above.files;
    files.extend(below.files);
    files.sort_by(|left, right| left.path.cmp(&right.path));
    // A file that was applied between the two searches is found in both.
    files.dedup_by(|later, first| later.path == first.path);
    for file in files {
        both.push(file, search);
    }
    both.files_total += unkept_files;
    both.matches_total += unkept_matches;
    both
}
