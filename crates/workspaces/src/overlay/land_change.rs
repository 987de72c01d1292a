//! Bringing one changed row to what is below, while others may write above.
//!
//! Three steps, each of which may be the last one that happens: what will be below is noted in the row; it is made;
//! the row goes, or is put on what is below now. Each step that changes the row does so only if the row is still the
//! one that was looked at. Whatever an agent does to the row in between keeps the note, so that what it does stays
//! above and is a change of what is below after all, not of what was.

use std::sync::Arc;

use piton_core::Digest;

use super::{
    apply::LeftReason,
    diff::ChangedRow,
    store::OverlayStore,
    view::hides,
    writing::{empty_tree, tree_digest, tree_digest_with},
};
use crate::{
    audit::OverlaySource,
    bounds::{AUTHORS_MAX, COMMIT_TRIES_MAX},
    error::Error,
    files::Files,
    path::{LogicalPath, MountPath},
    scope::{Right, Tool},
    store::{EntryKind, Expected, FileChange, FileStat, StoreFault},
    virtual_store::{DirectoryRow, Landing, SeenRow},
};

/// Who applies an overlay, and to what.
pub(super) struct Operator<'a> {
    pub(super) files: &'a Files,
    pub(super) over: &'a LogicalPath,
    /// Where the records of the overlay's own changes are, if there are any.
    pub(super) overlay: Option<&'a LogicalPath>,
}

/// What became of a row.
pub(super) enum Landed {
    /// What is below is as it says.
    Applied,
    /// It stays above.
    Left(LeftReason),
}

/// What is below, if a change may be made on it.
enum LowerState {
    /// Nothing, or something with this digest.
    Fits(Option<Digest>),
    /// Something else than the change was made on.
    Changed,
}

impl OverlayStore {
    /// Makes what is below as a row says, and takes the row away. Nothing happens if the row changed.
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
        let is_in_the_way = below.as_ref().is_some_and(|stat| match seen.row() {
            DirectoryRow::Whiteout { .. } => true,
            DirectoryRow::File { .. } => stat.kind != EntryKind::File,
            DirectoryRow::Directory { opaque, .. } => *opaque || stat.kind != EntryKind::Directory,
        });
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
        // What was in the way is gone, and somebody may have changed the row since.
        let Some(seen) = self.same_row(changed).await.map_err(told)? else {
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

    /// The row as it is now, if it still says what it said.
    async fn same_row(&self, changed: &ChangedRow) -> Result<Option<SeenRow>, StoreFault> {
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

    /// Whether what is below is still what a row was made on, or what an earlier attempt to apply it made, or already
    /// as the row says.
    async fn lower_state(
        &self,
        path: &MountPath,
        row: &DirectoryRow,
    ) -> Result<LowerState, StoreFault> {
        let below = self.found_below(path).await?;
        let digest = match &below {
            // A directory that is only passed through, or was made already.
            Some(stat) if stat.kind == EntryKind::Directory && is_passage(row) => {
                return Ok(LowerState::Fits(None));
            }
            Some(stat) if stat.kind == EntryKind::Directory => {
                match tree_digest(&*self.lower, &self.lower_mask, path).await {
                    // It came later: what holds it, or so much, is not deleted above. Or somebody is changing it right
                    // now.
                    Err(
                        StoreFault::HoldsUnusable
                        | StoreFault::HoldsHidden
                        | StoreFault::Limit { .. }
                        | StoreFault::NotFound
                        | StoreFault::NotDirectory,
                    ) => return Ok(LowerState::Changed),
                    digest => Some(digest?),
                }
            }
            Some(FileStat { digest: Some(digest), .. }) => Some(*digest),
            // Too large to be told apart.
            Some(_) => return Ok(LowerState::Changed),
            None => None,
        };
        let fits = digest == row.base()
            || row.landing().is_some_and(|landing| landing.digest() == digest)
            || match row {
                DirectoryRow::File { digest: own, .. } => digest == Some(*own),
                DirectoryRow::Whiteout { .. } | DirectoryRow::Directory { .. } => digest.is_none(),
            };
        Ok(if fits { LowerState::Fits(digest) } else { LowerState::Changed })
    }

    /// Whether a row can be applied to what is below now, or is no more because somebody else applied it.
    pub(super) async fn fits(&self, changed: &ChangedRow) -> Result<bool, StoreFault> {
        // What hides it above is deleted below before this is applied.
        if !changed.shines {
            return Ok(true);
        }
        let mut row = changed.row.clone();
        for _ in 0..COMMIT_TRIES_MAX {
            if matches!(self.lower_state(&changed.path, &row).await?, LowerState::Fits(_)) {
                return Ok(true);
            }
            // Whoever applies it changes the row before what is below, and after: what is below belongs to another row
            // then than the one that was looked at.
            match self.upper.seen(&changed.path).await? {
                None => return Ok(true),
                Some(seen) if *seen.row() == row => return Ok(false),
                Some(seen) => row = seen.row().clone(),
            }
        }
        Ok(false)
    }

    /// Makes what is below as `landing` says, and puts the row on it.
    async fn stage(
        &self,
        operator: &Operator<'_>,
        path: &MountPath,
        seen: &SeenRow,
        landing: Landing,
        below: Option<FileStat>,
    ) -> Result<Landed, Error> {
        let told = |fault| Error::File { path: operator.over.join(path), fault };
        let LowerState::Fits(base) = self.lower_state(path, seen.row()).await.map_err(told)? else {
            return Ok(Landed::Left(LeftReason::ChangedBelow));
        };
        let was = base.map(|base| (base, below.as_ref().is_some_and(|stat| stat.executable)));
        let noted = seen.row().clone().on(base, Some(landing));
        if !self.upper.exchange(path, seen, Some(&noted)).await.map_err(told)? {
            return Ok(Landed::Left(LeftReason::Newer));
        }
        if let Some((tool, change)) =
            self.change_below(path, seen, landing, base, below).await.map_err(told)?
        {
            let place = operator.over.join(path);
            let place = operator.files.workspaces().permit(Tool::Write, Right::Change, &place)?;
            let files = operator.files.clone().applying(self.source(operator, path, base).await?);
            let made = files.change(tool, &place, None, change).await;
            match made {
                Ok(_) => {}
                // Somebody else was there first: with the same, or with something that is not to be lost.
                Err(Error::File { fault, .. }) if is_another_hand(&fault) => {
                    match self.lower_state(path, &noted).await.map_err(told)? {
                        LowerState::Fits(digest) if digest == landing.digest() => {}
                        _ => return Ok(Landed::Left(LeftReason::ChangedBelow)),
                    }
                }
                Err(other) => return Err(other),
            }
        }
        self.mark_landed(path, landing, seen.row(), was).await.map_err(told)?;
        Ok(Landed::Applied)
    }

    /// What has to be done below, if anything.
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

    /// Where a change comes from, as the record below says it.
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

    /// Takes a row away whose content is below now, or puts what somebody wrote meanwhile on that. If others are too
    /// fast, the note in the row says as much to whoever applies it next.
    async fn mark_landed(
        &self,
        path: &MountPath,
        landing: Landing,
        applied: &DirectoryRow,
        was: Option<(Digest, bool)>,
    ) -> Result<(), StoreFault> {
        for _ in 0..COMMIT_TRIES_MAX {
            let seen = self.upper.seen(path).await?;
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
    /// Somebody deleted a directory above the path meanwhile. If it was made on what was below before this was
    /// applied, it is made on what is below now: that is no change of somebody else.
    async fn settle_above(
        &self,
        path: &MountPath,
        was: Option<(Digest, bool)>,
    ) -> Result<(), StoreFault> {
        for above in path.ancestors() {
            let Some(seen) = self.upper.seen(&above).await?.filter(|seen| hides(seen.row())) else {
                continue;
            };
            let (lower, mask) = (&*self.lower, &self.lower_mask);
            let before = tree_digest_with(lower, mask, &above, Some((path, was))).await;
            if before.is_ok_and(|before| seen.row().base() == Some(before)) {
                let now = tree_digest(lower, mask, &above).await?;
                let row = seen.row().clone().on(Some(now), seen.row().landing());
                // Whoever is faster than this finds out by a conflict, and loses nothing.
                self.upper.exchange(&above, &seen, Some(&row)).await?;
            }
            return Ok(());
        }
        Ok(())
    }
}

/// Whether a row is a directory that takes the place of nothing.
fn is_passage(row: &DirectoryRow) -> bool {
    matches!(row, DirectoryRow::Directory { opaque: false, base: None, .. })
}

/// A row after what it says, or said before somebody changed it, is below.
fn settled(row: &DirectoryRow, landing: Landing, applied: &DirectoryRow) -> Option<DirectoryRow> {
    match (row, landing, applied) {
        (DirectoryRow::Whiteout { .. }, Landing::Nothing, _) => None,
        (
            DirectoryRow::File { digest, executable, .. },
            Landing::Content(landed),
            DirectoryRow::File { executable: program, .. },
        ) if *digest == landed && executable == program => None,
        // Nothing is below that it has to hide.
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

/// Whether a change was refused because somebody else changed the same path at that moment.
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
