//! Common parts of `glob` and `grep`: searching all Workspaces below a path, and limiting the reply.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::bounds::{
    LIST_ENTRIES_HELD_MAX, NOTE_BYTES_MAX, PATH_DEPTH_MAX, REPLY_BYTES_MAX, RESULTS_DEFAULT,
    RESULTS_MAX, SEARCH_FILES_MAX,
};
use crate::error::{Error, listed};
use crate::files::Files;
use crate::files::service::{parse, store_error};
use crate::path::{LogicalPath, MountPath};
use crate::scope::{Right, Tool};
use crate::search::{Cancel, ContentMatcher, Depth, FoundFile, Search, Selection, Skipped};
use crate::store::StoreFault;
use crate::workspaces::LocatedPath;

/// Room for results in a reply.
pub(super) const ROOM: usize = REPLY_BYTES_MAX - NOTE_BYTES_MAX;

/// Parameters of a search.
pub(super) struct Wanted {
    pub(super) tool: Tool,
    pub(super) selection: Selection,
    pub(super) content: Option<ContentMatcher>,
    pub(super) depth: Depth,
    pub(super) results_max: usize,
}

/// Results from all Workspaces, in path order.
#[derive(Default)]
pub(super) struct FoundAll {
    pub(super) files: Vec<(LogicalPath, FoundFile)>,
    pub(super) files_total: u64,
    pub(super) matches_total: u64,
    pub(super) skipped: Skipped,
    /// Workspaces that may not be read.
    pub(super) closed: Vec<LogicalPath>,
}

/// Stops the search once its caller no longer waits.
struct StopOnDrop(Cancel);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Files {
    /// Searches the Workspace of a path and every readable one below it.
    pub(super) async fn search(&self, base: &str, wanted: Wanted) -> Result<FoundAll, Error> {
        let base = parse(base)?;
        let inner = self.workspaces.below(&base);
        let is_above = self.workspaces.find(&base).is_none();
        if is_above && inner.is_empty() && !base.is_root() {
            return Err(self.workspaces.unmapped(&base));
        }
        let cancel = Cancel::default();
        // Dropping the future of this call cancels the threads that search on its behalf.
        let _stop = StopOnDrop(cancel.clone());
        let (selection, content) = (Arc::new(wanted.selection), wanted.content.map(Arc::new));
        let search = |target: &LocatedPath, lead: MountPath| {
            Arc::new(Search {
                start: target.at.clone(),
                lead,
                selection: Arc::clone(&selection),
                content: content.clone(),
                mask: Arc::clone(&target.workspace.mask),
                depth: wanted.depth,
                results_max: wanted.results_max,
                cancel: cancel.clone(),
            })
        };
        let mut found = FoundAll::default();
        if !is_above {
            let target = self.workspaces.permit(wanted.tool, Right::Read, &base)?;
            let target = self.located(target).await?;
            let query = search(&target, MountPath::root());
            match target.workspace.store.search(query).await {
                Ok(here) => found.add(&target.path, &target.at, here),
                Err(StoreFault::NotFound) if !inner.is_empty() => {}
                Err(fault) => return Err(store_error(&target, fault)),
            }
        }
        for workspace in inner {
            let prefix = workspace.prefix();
            if !workspace.scope().gives(Right::Read) {
                found.closed.push(prefix.clone());
                continue;
            }
            let target = self.workspaces.permit(wanted.tool, Right::Read, prefix)?;
            let lead = prefix.below(&base).expect("it lies below");
            match target.workspace.store.search(search(&target, lead)).await {
                Ok(here) => found.add(prefix, &target.at, here),
                // A step may grant a directory that does not exist yet.
                Err(StoreFault::NotFound) => {}
                Err(fault) => return Err(store_error(&target, fault)),
            }
        }
        found.files.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(found)
    }
}

impl FoundAll {
    fn add(&mut self, path: &LogicalPath, start: &MountPath, found: crate::search::SearchResult) {
        self.files_total += found.files_total;
        self.matches_total += found.matches_total;
        self.skipped.add(found.skipped);
        for file in found.files {
            let below = file.path.below(start).unwrap_or_else(MountPath::root);
            self.files.push((path.join(&below), file));
        }
    }

    /// Renders the paths of the first files, each with the number of its matching lines if `counts` is set. Also returns
    /// the number of files that are not shown.
    pub(super) fn render_files(&self, results_max: usize, counts: bool) -> (String, u64) {
        let (mut text, mut shown) = (String::new(), 0);
        for (path, file) in self.files.iter().take(results_max) {
            if text.len() + path.as_str().len() > ROOM {
                break;
            }
            let _ = if counts {
                writeln!(text, "{path}:{}", file.matches)
            } else {
                writeln!(text, "{path}")
            };
            shown += 1;
        }
        (text, self.files_total - shown)
    }

    /// Returns the message that nothing was found, which mentions files that were not searched if there are any.
    pub(super) fn nothing(&self, what: &str) -> String {
        let of = if self.skipped.is_cut() { " in what was searched" } else { "" };
        format!("[no {what} match{of}]\n")
    }

    /// Appends the numbers of omitted entries and the reasons to a reply.
    pub(super) fn note(&self, text: &mut String) {
        let Skipped { binary, unreadable, large, crowded, deep, unusable, mounted, incomplete } =
            self.skipped;
        let crowded_note = format!(
            "directories with more than {LIST_ENTRIES_HELD_MAX} entries not searched; name their files, or start further down"
        );
        let deep_note = format!(
            "files or directories not searched, because they lie more than {PATH_DEPTH_MAX} names deep"
        );
        for (count, what) in [
            (binary, "binary files not searched"),
            (unreadable, "files or directories could not be read"),
            (large, "files with lines too long to search"),
            (crowded, &*crowded_note),
            (deep, &*deep_note),
            (
                unusable,
                "files or directories not searched, because their names cannot be used here",
            ),
            (mounted, "directories not searched, because something is mounted there"),
        ] {
            if count > 0 {
                let _ = writeln!(text, "[{count} {what}]");
            }
        }
        if incomplete {
            let _ = writeln!(
                text,
                "[there are more than {SEARCH_FILES_MAX} files, which is what one search looks at; start further down]"
            );
        }
        if !self.closed.is_empty() {
            let _ = writeln!(text, "{}]", listed("[not searched, write-only:", &self.closed));
        }
    }
}

/// Returns the number of results to show.
pub(super) fn results_max(limit: Option<u64>) -> Result<usize, Error> {
    match limit.unwrap_or(RESULTS_DEFAULT) {
        0 => Err(Error::BadArgument("`limit` counts from 1".into())),
        limit => Ok(usize::try_from(limit.min(RESULTS_MAX)).expect("the limit is small")),
    }
}
