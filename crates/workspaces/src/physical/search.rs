//! Multi-threaded search of the files of a Mount, with results in path order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::open::Root;
use super::walk::{Walked, walk};
use crate::bounds::{SEARCH_BATCH, SEARCH_THREADS_MAX};
use crate::path::MountPath;
use crate::search::{ContentMatcher, Depth, FoundFile, Search, SearchResult, Skipped};
use crate::store::StoreFault;

/// Runs a search.
pub(super) fn search(root: &Root, search: &Search) -> Result<SearchResult, StoreFault> {
    let Walked { files, skipped } = walk(root, search)?;
    let mut found = SearchResult::new(skipped);
    let by_lines = search.depth == Depth::Lines;
    let Some(content) = &search.content else {
        for path in files {
            let file = FoundFile { path, matches: 0, lines: Vec::new() };
            found.push(file, by_lines, search.results_max);
        }
        return Ok(found);
    };
    // Results are collected batch by batch to keep them in path order and to notice a cancellation soon.
    for batch in files.chunks(SEARCH_BATCH) {
        if search.cancel.is_cancelled() {
            return Err(StoreFault::Cancelled);
        }
        for result in search_batch(root, search, content, batch) {
            match result {
                Ok(file) if file.matches > 0 => found.push(file, by_lines, search.results_max),
                Ok(_) => {}
                Err(skipped) => found.skipped.add(skipped),
            }
        }
    }
    Ok(found)
}

type Searched = Result<FoundFile, Skipped>;

/// Searches a batch of files and returns the results in the order of the batch.
fn search_batch(
    root: &Root,
    search: &Search,
    content: &ContentMatcher,
    batch: &[MountPath],
) -> Vec<Searched> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let threads = processors.min(SEARCH_THREADS_MAX).min(batch.len().div_ceil(16)).max(1);
    // Threads take the next file from a shared counter, so one large file does not hold up the rest of the batch.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut searcher = content.searcher();
        let mut results = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = batch.get(at).filter(|_| !search.cancel.is_cancelled()) else {
                return results;
            };
            let result = match root.file(path) {
                Ok((file, _)) => content.search(&mut searcher, path, file, search.depth),
                // The file was removed or replaced since the walk, so it is simply not a result.
                Err(
                    StoreFault::NotFound
                    | StoreFault::Link
                    | StoreFault::NotRegular
                    | StoreFault::IsDirectory,
                ) => Err(Skipped::default()),
                Err(_) => Err(Skipped { unreadable: 1, ..Skipped::default() }),
            };
            results.push((at, result));
        }
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut results = work();
        for other in others {
            results.extend(other.join().unwrap_or_default());
        }
        results
    });
    // Threads finish in any order.
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
