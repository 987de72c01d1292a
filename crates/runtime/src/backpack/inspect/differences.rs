//! Differences between two states of one backpack or of two.

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{Backpack, CommitId, Item, KeyChange, StateDiff};
use piton_core::Envelope;

use super::backpacks::{Backpacks, Reveal};
use super::point::{self, PointReference};
use super::reference::BackpackReference;
use super::reply::{BackpackDiff, ChangeShown, DiffSide};
use super::value;
use crate::bounds::CHANGES_SHOWN_MAX;
use crate::text_diff;

impl Backpacks {
    /// Compares two states and lists the changes that lead from the first to the second.
    pub async fn diff(
        &self,
        (before, before_point): (&BackpackReference, &PointReference),
        (after, after_point): (&BackpackReference, &PointReference),
        reveal: Reveal,
    ) -> Result<BackpackDiff, Envelope> {
        let (old, old_side) = self.side(before, before_point).await?;
        let (new, new_side) = self.side(after, after_point).await?;
        let diff = StateDiff::between(&old, &new).map_err(|error| error.envelope())?;
        let (changes, left_out) = render_diff(&diff, reveal);
        Ok(BackpackDiff { before: old_side, after: new_side, changes, left_out })
    }

    async fn side(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
    ) -> Result<(Backpack, DiffSide), Envelope> {
        let backpack = self.open(reference).await?;
        let commit = point::find(&backpack, point)?;
        let state = self.state_at(&backpack, point, commit).await?;
        let side = DiffSide { backpack: backpack.id().clone(), commit: commit.map(point::short) };
        Ok((state, side))
    }

    /// Returns the state at a point whose commit has been resolved.
    pub(super) async fn state_at(
        &self,
        backpack: &Backpack,
        point: &PointReference,
        commit: Option<CommitId>,
    ) -> Result<Backpack, Envelope> {
        match (point, commit) {
            // The point lies before the first commit of all, so no commit names it; the snapshot does.
            (PointReference::BeforeNode(node), None) => {
                let node = piton_backpack::NodeId::parse(node)
                    .map_err(|error| piton_backpack::Error::from(error).envelope())?;
                backpack.snapshot_before_node(&node).map_err(|error| error.envelope())
            }
            (_, commit) => self.at_commit(backpack, commit).await,
        }
    }
}

/// Renders the changes, without the notes that the runner of flows keeps for itself. Also returns the number of keys
/// left out.
pub(super) fn render_diff(diff: &StateDiff, reveal: Reveal) -> (Vec<ChangeShown>, usize) {
    let is_noted = |item: &Item| item.source().id.as_str() == RUNNER;
    let mut changes: Vec<&KeyChange> = diff.changes.iter().collect();
    changes.retain(|change| {
        let items = [&change.before, &change.after];
        !items.into_iter().flatten().any(|item| is_noted(item))
    });
    let left_out = changes.len().saturating_sub(CHANGES_SHOWN_MAX);
    changes.truncate(CHANGES_SHOWN_MAX);
    (changes.into_iter().map(|change| render_change(change, reveal)).collect(), left_out)
}

/// Renders the change of one key.
pub(super) fn render_change(change: &KeyChange, reveal: Reveal) -> ChangeShown {
    let items = [&change.before, &change.after];
    // One protected side hides the diff of both.
    let may_show = items.iter().copied().flatten().all(|item| value::is_shown(item, reveal));
    let text = |item: &Option<std::sync::Arc<Item>>| {
        item.as_ref().and_then(|item| value::text(item)).unwrap_or_default()
    };
    let (diff, left_out_lines) = if may_show {
        text_diff::lines(&text(&change.before), &text(&change.after))
    } else {
        (Vec::new(), 0)
    };
    ChangeShown {
        key: change.key.clone(),
        kind: change.kind,
        by: change.by.as_deref().cloned(),
        before: change.before.as_ref().map(|item| item.summary()),
        after: change.after.as_ref().map(|item| item.summary()),
        diff,
        left_out_lines,
    }
}
