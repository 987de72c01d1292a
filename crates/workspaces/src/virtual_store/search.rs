//! Search in the files of a Virtual Store.

use super::namespace::DirectoryId;
use super::row::{DirectoryRow, Stored};
use super::store::VirtualStore;
use crate::bounds::{IGNORE_FILE_BYTES_MAX, SEARCH_FILES_MAX, SEARCH_MEMORY_BYTES_MAX};
use crate::path::MountPath;
use crate::search::{IGNORE_FILE, Ignores, Search, SearchResult};
use crate::store::StoreFault;

/// An entry still to be visited.
enum Waiting {
    Directory(MountPath, DirectoryId, Ignores),
    File(MountPath, Stored),
}

impl VirtualStore {
    /// Runs a search.
    pub(super) async fn search_rows(&self, search: &Search) -> Result<SearchResult, StoreFault> {
        let mut found = SearchResult::default();
        let mut waiting = vec![self.start(search).await?];
        let mut files = 0;
        while let Some(next) = waiting.pop() {
            if search.cancel.is_cancelled() {
                return Err(StoreFault::Cancelled);
            }
            match next {
                Waiting::Directory(path, id, ignores) => {
                    let deep = self.open(search, &path, id, &ignores, &mut waiting).await?;
                    found.skipped.deep += deep;
                }
                Waiting::File(path, stored) => {
                    files += 1;
                    if files > SEARCH_FILES_MAX {
                        found.skipped.incomplete = true;
                        break;
                    }
                    self.visit(search, path, stored, &mut found).await?;
                }
            }
        }
        Ok(found)
    }

    async fn start(&self, search: &Search) -> Result<Waiting, StoreFault> {
        let start = &search.start;
        if start.is_root() {
            let id = self.directory(start).await?;
            return Ok(Waiting::Directory(start.clone(), id, Ignores::default()));
        }
        let entry = self.lookup(start).await?.entry.ok_or(StoreFault::NotFound)?;
        match entry.stored.row {
            DirectoryRow::Directory { id, .. } => {
                let ignores = self.ignores_above(search).await?;
                Ok(Waiting::Directory(start.clone(), id, ignores))
            }
            DirectoryRow::File { .. } => Ok(Waiting::File(start.clone(), entry.stored)),
            DirectoryRow::Whiteout { .. } => Err(StoreFault::NotFound),
        }
    }

    async fn ignores_above(&self, search: &Search) -> Result<Ignores, StoreFault> {
        let mut ignores = Ignores::default();
        if !search.selection.follows_ignores() {
            return Ok(ignores);
        }
        let mut here = MountPath::root();
        for name in search.start.names() {
            let id = self.directory(&here).await?;
            if let Some(own) = self.row(id, IGNORE_FILE).await? {
                ignores = self.with_own(&ignores, &here, own.stored).await?;
            }
            here = here.child(name).expect("a part of a path is a path");
        }
        Ok(ignores)
    }

    async fn with_own(
        &self,
        above: &Ignores,
        path: &MountPath,
        stored: Stored,
    ) -> Result<Ignores, StoreFault> {
        match stored.row {
            DirectoryRow::File { bytes, .. } if bytes <= IGNORE_FILE_BYTES_MAX => {
                let loaded = self.content(stored).await?;
                Ok(above.below(path, &String::from_utf8_lossy(&loaded.bytes)))
            }
            _ => Ok(above.clone()),
        }
    }

    /// Puts the entries of a directory in front of those waiting. Returns the number of entries that lie too deep.
    async fn open(
        &self,
        search: &Search,
        path: &MountPath,
        id: DirectoryId,
        above: &Ignores,
        waiting: &mut Vec<Waiting>,
    ) -> Result<u64, StoreFault> {
        let mut deep = 0;
        let rows = self.rows(id).await?;
        let mut ignores = above.clone();
        if search.selection.follows_ignores()
            && let Some((_, own)) = rows.iter().find(|(name, _)| name == IGNORE_FILE)
        {
            ignores = self.with_own(above, path, own.clone()).await?;
        }
        // The stack is popped from its end, so entries are pushed in reverse to be visited in path order.
        for (name, stored) in rows.into_iter().rev() {
            let Ok(below) = path.child(&name) else {
                deep += 1;
                continue;
            };
            let is_directory = matches!(stored.row, DirectoryRow::Directory { .. });
            if search.selection.skips_name(&name)
                || search.mask.hides_entry(&below)
                || ignores.ignores(&below, is_directory)
            {
                continue;
            }
            match stored.row {
                DirectoryRow::Directory { id, .. } => {
                    waiting.push(Waiting::Directory(below, id, ignores.clone()));
                }
                DirectoryRow::File { .. } if search.selects(&below) => {
                    waiting.push(Waiting::File(below, stored));
                }
                DirectoryRow::File { .. } | DirectoryRow::Whiteout { .. } => {}
            }
        }
        Ok(deep)
    }

    async fn visit(
        &self,
        search: &Search,
        path: MountPath,
        stored: Stored,
        found: &mut SearchResult,
    ) -> Result<(), StoreFault> {
        let Some(content) = &search.content else {
            found.push_path(path, search);
            return Ok(());
        };
        if matches!(stored.row, DirectoryRow::File { bytes, .. } if bytes > SEARCH_MEMORY_BYTES_MAX)
        {
            found.skipped.large += 1;
            return Ok(());
        }
        let loaded = self.content(stored).await?;
        let mut searcher = content.searcher();
        let result = content.search(&mut searcher, &path, &*loaded.bytes, search.depth);
        found.push_searched(result, search);
        Ok(())
    }
}
