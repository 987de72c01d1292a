//! Applying one changed row to the lower Store, while agents may write above.
//!
//! There are three steps, and a crash may follow each of them. The intended lower state is noted in the row; the change
//! is made below; the row is removed, or rebased onto the new lower state. A step changes the row only if it is still
//! the one that was read. Every change that an agent makes to the row in between keeps the note. So the agent's change
//! stays above, and counts as a change of the new lower state and not of the old one.

use std::sync::Arc;

use piton_core::Digest;

use piton_store::port::BoxFuture;

use super::apply::LeftReason;
use super::diff::{ChangedRow, LowerEntry};
use super::prepare::{empty_tree, tree_digest, tree_digest_with};
use super::store::OverlayStore;
use super::view::hides;
use crate::audit::OverlaySource;
use crate::bounds::{AUTHORS_MAX, COMMIT_TRIES_MAX};
use crate::error::Error;
use crate::files::Files;
use crate::path::{LogicalPath, MountPath};
use crate::scope::{Right, Tool};
use crate::store::{EntryKind, Expected, FileChange, FileStat, StoreFault};
use crate::virtual_store::{DirectoryRow, Landing, SeenRow};

/// The party that applies an overlay, and its target.
pub(super) struct Operator<'a> {
    pub(super) files: &'a Files,
    pub(super) over: &'a LogicalPath,
    /// Workspace that holds the records of the overlay's own changes, if there are any.
    pub(super) overlay: Option<&'a LogicalPath>,
}

/// Outcome of applying a row.
pub(super) enum Landed {
    /// The lower Store is in the state that the row describes.
    Applied,
    /// The row stays above.
    Left(LeftReason),
}

/// State of the lower Store relative to the row to be applied.
enum LowerState {
    /// Nothing, or an entry with this digest; the change may be made.
    Fits(Option<Digest>),
    /// An entry other than the one that the row was based on.
    Changed,
}

impl OverlayStore {
    /// Makes the lower Store match a row, and removes the row. Does nothing if the row changed.
    pub(super) async fn land(
        &self,
        operator: &Operator<'_>,
        changed: &ChangedRow,
    ) -> Result<Landed, Error> {
        let path = &changed.path;
        let told = |fault| Error::File { path: operator.over.join(path), fault };
        let Some(seen) = self.same_row(changed).await.map_err(told)? else {
            return Ok(Landed::Left(LeftReason::Newer));
        };
        let below = self.found_below(path).await.map_err(told)?;
        // An entry of another kind, or one that the row hides, has to be removed before anything takes its place.
        let is_in_the_way = below.as_ref().is_some_and(|stat| match seen.row() {
            DirectoryRow::Whiteout { .. } => true,
            DirectoryRow::File { .. } => stat.kind != EntryKind::File,
            DirectoryRow::Directory { opaque, .. } => *opaque || stat.kind != EntryKind::Directory,
        });
        // A deletion is staged even if nothing is below by now, because the row itself still has to be settled.
        if is_in_the_way
            || matches!(
                seen.row(),
                DirectoryRow::Whiteout { .. } | DirectoryRow::Directory { opaque: true, .. }
            )
        {
            let removed = self.stage(operator, path, &seen, Landing::Nothing, below).await?;
            if matches!(removed, Landed::Left(_))
                || matches!(seen.row(), DirectoryRow::Whiteout { .. })
            {
                return Ok(removed);
            }
        }
        // The obstacle is gone, and an agent may have changed the row in the meantime.
        let Some(seen) = self.same_row(changed).await.map_err(told)? else {
            // Once something was deleted below, that part of the row was applied, whatever happened to the row since.
            let is_untouched = !is_in_the_way;
            return Ok(if is_untouched {
                Landed::Left(LeftReason::Newer)
            } else {
                Landed::Applied
            });
        };
        let below = self.found_below(path).await.map_err(told)?;
        let landing = match seen.row() {
            DirectoryRow::File { digest, .. } => Landing::Content(*digest),
            DirectoryRow::Directory { .. } | DirectoryRow::Whiteout { .. } => {
                Landing::Content(empty_tree())
            }
        };
        self.stage(operator, path, &seen, landing, below).await
    }

    /// Returns the current row if it still says the same.
    pub(super) async fn same_row(
        &self,
        changed: &ChangedRow,
    ) -> Result<Option<SeenRow>, StoreFault> {
        let seen = self.upper.seen(&changed.path).await?;
        Ok(seen.filter(|seen| match (seen.row(), &changed.row) {
            (
                DirectoryRow::File { digest, executable, .. },
                DirectoryRow::File { digest: planned, executable: program, .. },
            ) => (digest, executable) == (planned, program),
            (DirectoryRow::Whiteout { .. }, DirectoryRow::Whiteout { .. })
            | (DirectoryRow::Directory { .. }, DirectoryRow::Directory { .. }) => true,
            _ => false,
        }))
    }

    /// Compares the lower Store with a row. It fits if it is still what the row was based on, or what an earlier
    /// attempt to apply the row left, or already what the row describes.
    async fn lower_state(
        &self,
        path: &MountPath,
        row: &DirectoryRow,
    ) -> Result<LowerState, StoreFault> {
        // The row only leads to deeper changes, or its directory was created already.
        if is_passage(row)
            && let Some(below) = self.found_below(path).await?
            && below.kind == EntryKind::Directory
        {
            return Ok(LowerState::Fits(None));
        }
        let digest = match self.lower_entry(path).await? {
            LowerEntry::Absent => None,
            LowerEntry::Content(digest) => Some(digest),
            LowerEntry::Unknown => return Ok(LowerState::Changed),
        };
        // The three accepted states: the base, the noted intent of an interrupted apply, and the final state itself.
        let fits = digest == row.base()
            || row.landing().is_some_and(|landing| landing.digest() == digest)
            || match row {
                DirectoryRow::File { digest: own, .. } => digest == Some(*own),
                DirectoryRow::Whiteout { .. } | DirectoryRow::Directory { .. } => digest.is_none(),
            };
        Ok(if fits { LowerState::Fits(digest) } else { LowerState::Changed })
    }

    /// Returns the current lower entry at a path.
    pub(super) async fn lower_entry(&self, path: &MountPath) -> Result<LowerEntry, StoreFault> {
        Ok(match self.found_below(path).await? {
            Some(stat) if stat.kind == EntryKind::Directory => {
                match tree_digest(&*self.lower, &self.lower_mask, path).await {
                    // Nothing like this can be deleted through an overlay, so it appeared later. Or the tree is being
                    // changed right now.
                    Err(
                        StoreFault::HoldsUnusable
                        | StoreFault::HoldsHidden
                        | StoreFault::Limit { .. }
                        | StoreFault::NotFound
                        | StoreFault::NotDirectory,
                    ) => LowerEntry::Unknown,
                    digest => LowerEntry::Content(digest?),
                }
            }
            Some(FileStat { digest: Some(digest), .. }) => LowerEntry::Content(digest),
            // Too large to be hashed, so a change could not be noticed.
            Some(_) => LowerEntry::Unknown,
            None => LowerEntry::Absent,
        })
    }

    /// True if a row can be applied to the current lower Store, or is gone because another process applied it.
    pub(super) async fn fits(&self, changed: &ChangedRow) -> Result<bool, StoreFault> {
        // The directory that hides the lower entry is replaced before this row is applied.
        if !changed.shines {
            return Ok(true);
        }
        let mut row = changed.row.clone();
        for _ in 0..COMMIT_TRIES_MAX {
            if matches!(self.lower_state(&changed.path, &row).await?, LowerState::Fits(_)) {
                return Ok(true);
            }
            // A concurrent apply changes the row before the lower Store and again after it. So the lower state seen
            // here may belong to a newer version of the row: compare again with that one.
            match self.upper.seen(&changed.path).await? {
                None => return Ok(true),
                Some(seen) if *seen.row() == row => return Ok(false),
                Some(seen) => row = seen.row().clone(),
            }
        }
        Ok(false)
    }

    /// Brings the lower Store to the state `landing`, and rebases or removes the row.
    fn stage<'a>(
        &'a self,
        operator: &'a Operator<'_>,
        path: &'a MountPath,
        seen: &'a SeenRow,
        landing: Landing,
        below: Option<FileStat>,
    ) -> BoxFuture<'a, Result<Landed, Error>> {
        Box::pin(async move {
            let told = |fault| Error::File { path: operator.over.join(path), fault };
            let LowerState::Fits(base) = self.lower_state(path, seen.row()).await.map_err(told)?
            else {
                return Ok(Landed::Left(LeftReason::ChangedBelow));
            };
            let was = base.map(|base| (base, below.as_ref().is_some_and(|stat| stat.executable)));
            // Step one: note the intent in the row before anything changes below. After a crash the note explains a lower
            // state that differs from the base.
            let noted = seen.row().clone().on(base, Some(landing));
            if !self.upper.exchange(path, seen, Some(&noted)).await.map_err(told)? {
                return Ok(Landed::Left(LeftReason::Newer));
            }
            // Step two: make the change below, as an ordinary recorded change with the base as its precondition.
            if let Some((tool, change)) =
                self.change_below(path, seen, landing, base, below).await.map_err(told)?
            {
                let place = operator.over.join(path);
                let place =
                    operator.files.workspaces().permit(Tool::Write, Right::Change, &place)?;
                let files =
                    operator.files.clone().applying(self.source(operator, path, base).await?);
                let made = files.change(tool, &place, None, change).await;
                match made {
                    Ok(_) => {}
                    // Another process was faster. If it left the same state, the goal is reached; its other content must
                    // not be lost.
                    Err(Error::File { fault, .. }) if is_another_hand(&fault) => {
                        match self.lower_state(path, &noted).await.map_err(told)? {
                            LowerState::Fits(digest) if digest == landing.digest() => {}
                            _ => return Ok(Landed::Left(LeftReason::ChangedBelow)),
                        }
                    }
                    Err(other) => return Err(other),
                }
            }
            // Step three: the lower Store is in the noted state, so the row can go.
            self.mark_landed(path, landing, seen.row(), was).await.map_err(told)?;
            Ok(Landed::Applied)
        })
    }

    /// Returns the change to make below, if any is needed.
    async fn change_below(
        &self,
        path: &MountPath,
        seen: &SeenRow,
        landing: Landing,
        base: Option<Digest>,
        below: Option<FileStat>,
    ) -> Result<Option<(Tool, FileChange)>, StoreFault> {
        let expected = base.map_or(Expected::Nothing, Expected::Digest);
        let path = path.clone();
        Ok(match (landing, seen.row(), below) {
            (Landing::Nothing, _, Some(_)) => {
                let mask = Arc::clone(&self.lower_mask);
                Some((Tool::Delete, FileChange::Delete { path, recursive: true, expected, mask }))
            }
            (Landing::Content(digest), DirectoryRow::File { executable, .. }, below) => {
                let is_there = below.is_some_and(|stat| {
                    stat.digest == Some(digest)
                        && executable.is_none_or(|executable| executable == stat.executable)
                });
                if is_there {
                    return Ok(None);
                }
                let bytes = self.upper.content_of(seen).await?.bytes.into();
                let executable = *executable;
                Some((Tool::Write, FileChange::Write { path, bytes, expected, executable }))
            }
            (Landing::Nothing, _, None) | (Landing::Content(_), _, Some(_)) => None,
            (Landing::Content(_), _, None) => {
                Some((Tool::Mkdir, FileChange::MakeDirectory { path }))
            }
        })
    }

    /// Returns the origin of a change for the record below.
    async fn source(
        &self,
        operator: &Operator<'_>,
        path: &MountPath,
        base: Option<Digest>,
    ) -> Result<Option<OverlaySource>, Error> {
        let Some(overlay) = operator.overlay else { return Ok(None) };
        let authors = operator.files.authors(&overlay.join(path), base, AUTHORS_MAX).await?;
        Ok(Some(OverlaySource { overlay: overlay.clone(), authors }))
    }

    /// Removes a row whose content is below now, or rebases a change that was made meanwhile. If concurrent changes
    /// keep winning, the note in the row tells the next apply the same.
    async fn mark_landed(
        &self,
        path: &MountPath,
        landing: Landing,
        applied: &DirectoryRow,
        was: Option<(Digest, bool)>,
    ) -> Result<(), StoreFault> {
        for _ in 0..COMMIT_TRIES_MAX {
            let seen = self.upper.seen(path).await?;
            // Without the note this row is not the one that was applied: a directory above it was deleted or replaced.
            let Some(seen) = seen.filter(|seen| seen.row().landing() == Some(landing)) else {
                return self.settle_above(path, was).await;
            };
            let settled = settled(seen.row(), landing, applied);
            match self.upper.exchange(path, &seen, settled.as_ref()).await {
                Ok(true) | Err(StoreFault::Busy) => return Ok(()),
                Ok(false) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }
}

impl OverlayStore {
    /// Handles an ancestor that was deleted above during the apply. If its deletion was based on the lower state before
    /// the apply, it is rebased onto the current one: the apply itself is not a foreign change.
    async fn settle_above(
        &self,
        path: &MountPath,
        was: Option<(Digest, bool)>,
    ) -> Result<(), StoreFault> {
        for above in path.ancestors() {
            let Some(seen) = self.upper.seen(&above).await?.filter(|seen| hides(seen.row())) else {
                continue;
            };
            // Recompute the tree digest as if this path had not been applied. If it matches, nothing else changed
            // below.
            let (lower, mask) = (&*self.lower, &self.lower_mask);
            let before = tree_digest_with(lower, mask, &above, Some((path, was))).await;
            if before.is_ok_and(|before| seen.row().base() == Some(before)) {
                let now = tree_digest(lower, mask, &above).await?;
                let row = seen.row().clone().on(Some(now), seen.row().landing());
                // A writer that is faster sees a conflict later and loses nothing.
                self.upper.exchange(&above, &seen, Some(&row)).await?;
            }
            return Ok(());
        }
        Ok(())
    }
}

/// True if a row is a directory that replaces nothing.
fn is_passage(row: &DirectoryRow) -> bool {
    matches!(row, DirectoryRow::Directory { opaque: false, base: None, .. })
}

/// Returns the row that remains once its state, or the one before a concurrent change, is below. `None` removes it.
fn settled(row: &DirectoryRow, landing: Landing, applied: &DirectoryRow) -> Option<DirectoryRow> {
    match (row, landing, applied) {
        (DirectoryRow::Whiteout { .. }, Landing::Nothing, _) => None,
        (
            DirectoryRow::File { digest, executable, .. },
            Landing::Content(landed),
            DirectoryRow::File { executable: program, .. },
        ) if *digest == landed && executable == program => None,
        // Nothing is left below to hide, so the directory need not be opaque any more.
        (DirectoryRow::Directory { id, modified, .. }, Landing::Nothing, _) => {
            Some(DirectoryRow::Directory {
                id: *id,
                modified: *modified,
                opaque: false,
                base: None,
                landing: None,
            })
        }
        (DirectoryRow::Directory { opaque: false, .. }, _, _) => Some(row.clone().on(None, None)),
        _ => Some(row.clone().on(landing.digest(), None)),
    }
}

/// True if a change was refused because another process changed the same path at that moment.
const fn is_another_hand(fault: &StoreFault) -> bool {
    matches!(
        fault,
        StoreFault::Conflict { .. }
            | StoreFault::Exists
            | StoreFault::NotFound
            | StoreFault::NotDirectory
            | StoreFault::IsDirectory
            | StoreFault::NotEmpty
            | StoreFault::HoldsUnusable
            | StoreFault::Busy
    )
}
