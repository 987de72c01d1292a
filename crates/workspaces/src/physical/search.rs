//! Search of the files of a Mount: a walk by descriptor selects the files, several threads search them, and the results
//! are in path order.

use std::io::Read as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::list::{RawEntry, entries};
use super::open::{Root, one_directory};
use crate::bounds::{IGNORE_FILE_BYTES_MAX, SEARCH_BATCH, SEARCH_FILES_MAX, SEARCH_THREADS_MAX};
use crate::path::MountPath;
use crate::search::{
    ContentMatcher, FoundFile, IGNORE_FILE, Ignores, Search, SearchResult, Skipped,
};
use crate::store::{EntryKind, StoreFault};

/// Runs a search.
pub(super) fn search(root: &Root, search: &Search) -> Result<SearchResult, StoreFault> {
    let Walked { files, skipped } = walk(root, search)?;
    let mut found = SearchResult::new(skipped);
    let Some(content) = &search.content else {
        for path in files {
            found.push_path(path, search);
        }
        return Ok(found);
    };
    // Results are collected batch by batch to keep them in path order and to notice a cancellation soon.
    for batch in files.chunks(SEARCH_BATCH) {
        if search.cancel.is_cancelled() {
            return Err(StoreFault::Cancelled);
        }
        for result in search_batch(root, search, content, batch) {
            found.push_searched(result, search);
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

/// Files selected by a search.
pub(super) struct Walked {
    pub(super) files: Vec<MountPath>,
    pub(super) skipped: Skipped,
}

/// Finds the files that a search selects.
pub(super) fn walk(root: &Root, search: &Search) -> Result<Walked, StoreFault> {
    let mut walk =
        TreeWalk { root, search, found: Walked { files: Vec::new(), skipped: Skipped::default() } };
    match root.directory(&search.start) {
        Ok(directory) => {
            let ignores = walk.ignores_above();
            walk.directory(&directory, &search.start, &ignores)?;
        }
        Err(StoreFault::NotDirectory) => {
            root.file(&search.start)?;
            walk.found.files.push(search.start.clone());
        }
        Err(other) => return Err(other),
    }
    Ok(walk.found)
}

struct TreeWalk<'a> {
    root: &'a Root,
    search: &'a Search,
    found: Walked,
}

impl TreeWalk<'_> {
    /// Collects the ignore files between the root of the Mount and the start of the search.
    fn ignores_above(&self) -> Ignores {
        let mut ignores = Ignores::default();
        if !self.search.selection.follows_ignores() {
            return ignores;
        }
        let mut here = MountPath::root();
        for name in self.search.start.names() {
            if let Ok(directory) = self.root.directory(&here) {
                ignores = self.with_own(&ignores, &directory, &here);
            }
            here = here.child(name).expect("a part of a path is a path");
        }
        ignores
    }

    fn with_own(&self, above: &Ignores, directory: &OwnedFd, path: &MountPath) -> Ignores {
        let Ok((file, _)) = self.root.file_in(directory, IGNORE_FILE) else {
            return above.clone();
        };
        let mut content = Vec::new();
        if file.take(IGNORE_FILE_BYTES_MAX).read_to_end(&mut content).is_err() {
            return above.clone();
        }
        above.below(path, &String::from_utf8_lossy(&content))
    }

    fn directory(
        &mut self,
        directory: &OwnedFd,
        path: &MountPath,
        above: &Ignores,
    ) -> Result<(), StoreFault> {
        if self.search.cancel.is_cancelled() {
            return Err(StoreFault::Cancelled);
        }
        // One unreadable directory does not fail the search; it is counted and reported instead.
        let found = match entries(directory.as_fd()) {
            Ok((found, unusable)) => {
                self.found.skipped.unusable += unusable;
                found
            }
            Err(StoreFault::Limit { .. }) => {
                self.found.skipped.crowded += 1;
                return Ok(());
            }
            Err(_) => {
                self.found.skipped.unreadable += 1;
                return Ok(());
            }
        };
        let has_own = found.iter().any(|entry| entry.name == IGNORE_FILE);
        let own;
        let ignores = if has_own && self.search.selection.follows_ignores() {
            own = self.with_own(above, directory, path);
            &own
        } else {
            above
        };
        for entry in found {
            if self.found.files.len() == SEARCH_FILES_MAX {
                self.found.skipped.incomplete = true;
                return Ok(());
            }
            self.entry(directory.as_fd(), path, &entry, ignores)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        directory: BorrowedFd<'_>,
        path: &MountPath,
        entry: &RawEntry,
        ignores: &Ignores,
    ) -> Result<(), StoreFault> {
        if self.search.selection.skips_name(&entry.name) {
            return Ok(());
        }
        let Ok(below) = path.child(&entry.name) else {
            // The name itself is usable, so the path must be too deep.
            self.found.skipped.deep += 1;
            return Ok(());
        };
        let is_directory = entry.kind == EntryKind::Directory;
        if self.search.mask.hides_entry(&below) || ignores.ignores(&below, is_directory) {
            return Ok(());
        }
        match entry.kind {
            EntryKind::File if self.search.selects(&below) => self.found.files.push(below),
            EntryKind::Directory => {
                // Opened relative to the directory that was listed, so the walk cannot be redirected by a rename.
                match one_directory(directory, &*entry.name) {
                    Ok(inside) if self.root.check_mount(inside.as_fd()).is_err() => {
                        self.found.skipped.mounted += 1;
                    }
                    Ok(inside) => self.directory(&inside, &below, ignores)?,
                    Err(_) => self.found.skipped.unreadable += 1,
                }
            }
            EntryKind::File | EntryKind::Link | EntryKind::Other => {}
        }
        Ok(())
    }
}
