//! Differences between two states of one backpack or of two, and the net changes of a run's steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{
    Action, Backpack, BackpackId, ChangeKind, Commit, Filter, Item, Key, KeyChange,
    NodeId as FlowNodeId, NodeIdentity, StateDiff,
};
use piton_core::{Envelope, NodeId, RunId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::backpacks::{Backpacks, Reveal};
use super::items::{is_shown, readable};
use super::reference::{self, BackpackReference, PointReference, Searched};
use crate::backpack::short;
use crate::bounds::{BACKPACK_DIFF_BYTES_MAX, CHANGES_SHOWN_MAX, cut};
use crate::provenance::{Became, KeyWritten, WrittenKind};
use crate::text_diff::{self, DiffLine};

/// Differences between two states.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackpackDiff {
    /// The state compared against.
    pub before: DiffSide,
    /// The state that is compared.
    pub after: DiffSide,
    /// Changes, in key order.
    pub changes: Vec<KeyChangeShown>,
    /// Number of further keys that differ.
    pub left_out: usize,
}

/// One of two states.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffSide {
    pub backpack: BackpackId,
    /// The last commit that belongs to the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// The change of one key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyChangeShown {
    pub key: Key,
    pub kind: ChangeKind,
    /// Author of the change, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<NodeIdentity>,
    /// A few words about the old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// A few words about the new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Diff of the value, line by line.
    pub diff: Vec<DiffLine>,
    /// Number of diff lines left out.
    pub left_out_lines: usize,
}

impl KeyChangeShown {
    /// Converts the change into the form shared by all comparisons.
    pub(super) fn written(self, backpack: &BackpackId) -> KeyWritten {
        let became = Became {
            kind: match self.kind {
                ChangeKind::Added => WrittenKind::Added,
                ChangeKind::Modified => WrittenKind::Modified,
                ChangeKind::Deleted => WrittenKind::Deleted,
            },
            by: self.by.map(|by| by.id.to_string()),
            before: self.before,
            after: self.after,
            diff: self.diff,
            left_out: self.left_out_lines,
        };
        KeyWritten { backpack: backpack.to_string(), key: self.key.to_string(), became }
    }
}

impl Backpacks {
    /// Compares two states and lists the changes that lead from the first to the second.
    pub async fn diff(
        &self,
        (before, before_point): (&BackpackReference, &PointReference),
        (after, after_point): (&BackpackReference, &PointReference),
        reveal: Reveal,
    ) -> Result<BackpackDiff, Envelope> {
        let (old, old_side) = self.state(before, before_point).await?;
        let (new, new_side) = self.state(after, after_point).await?;
        let diff = StateDiff::between(&old, &new)?;
        let (changes, left_out) = render_diff(&diff, reveal);
        Ok(BackpackDiff { before: old_side, after: new_side, changes, left_out })
    }

    /// Returns the state of a backpack at a point, and what names it.
    pub(super) async fn state(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
    ) -> Result<(Backpack, DiffSide), Envelope> {
        let backpack = self.open(reference).await?;
        let commit = reference::point(&backpack, point)?;
        let state = match (point, commit) {
            // The point lies before the first commit of all, so no commit names it; the snapshot does.
            (PointReference::BeforeNode(node), None) => {
                backpack.snapshot_before_node(&FlowNodeId::parse(node)?)?
            }
            (_, commit) => self.at_commit(&backpack, commit).await?,
        };
        let side = DiffSide { backpack: backpack.id().clone(), commit: commit.map(short) };
        Ok((state, side))
    }
}

/// Renders the changes, without the notes that the runner of flows keeps for itself. Also returns the number of keys
/// left out.
pub(super) fn render_diff(diff: &StateDiff, reveal: Reveal) -> (Vec<KeyChangeShown>, usize) {
    let is_noted = |item: &Item| item.source().id.as_str() == RUNNER;
    let mut changes: Vec<&KeyChange> = diff.changes.iter().collect();
    changes.retain(|change| {
        let items = [&change.before, &change.after];
        !items.into_iter().flatten().any(|item| is_noted(item))
    });
    let (changes, left_out) = cut(changes, CHANGES_SHOWN_MAX);
    let mut bytes = 0;
    let render = |change: &KeyChange| {
        let mut shown = render_change(change, reveal);
        // Once the limit is used up, later keys are still listed, without their lines.
        if bytes >= BACKPACK_DIFF_BYTES_MAX {
            shown.left_out_lines += shown.diff.len();
            shown.diff.clear();
        }
        bytes += shown.diff.iter().map(|line| line.text.len()).sum::<usize>();
        shown
    };
    (changes.into_iter().map(render).collect(), left_out)
}

/// Renders the change of one key.
pub(super) fn render_change(change: &KeyChange, reveal: Reveal) -> KeyChangeShown {
    let items = [&change.before, &change.after];
    // One protected side hides the diff of both.
    let may_show = items.iter().copied().flatten().all(|item| is_shown(item, reveal));
    let text = |item: &Option<Arc<Item>>| {
        item.as_ref().and_then(|item| readable(item)).unwrap_or_default()
    };
    let (diff, left_out_lines) = if may_show {
        text_diff::lines(&text(&change.before), &text(&change.after))
    } else {
        (Vec::new(), 0)
    };
    KeyChangeShown {
        key: change.key.clone(),
        kind: change.kind,
        by: change.by.as_deref().cloned(),
        before: change.before.as_ref().map(|item| item.summary()),
        after: change.after.as_ref().map(|item| item.summary()),
        diff,
        left_out_lines,
    }
}

/// Values that the steps of a run packed and removed, oldest first in each backpack.
pub(crate) struct PackedInRun {
    writes: Vec<(BackpackId, NodeId, Commit)>,
    /// Protected values that the steps could read, as far as they are at hand.
    pub(crate) protected: Vec<Value>,
    /// Number of backpacks that cannot be read.
    pub(crate) unreadable: usize,
    /// Number of backpacks that the search did not reach.
    pub(crate) not_reached: usize,
}

impl Backpacks {
    /// Collects the values that the steps of a run packed and removed.
    pub(crate) async fn written_in(&self, run: RunId) -> Result<PackedInRun, Envelope> {
        let Searched { ids, not_reached } = self.searched().await?;
        let mut unreadable = 0;
        let (mut writes, mut protected) = (Vec::new(), Vec::new());
        for id in ids {
            let Ok(backpack) = self.read(&id).await else {
                unreadable += 1;
                continue;
            };
            let commits = backpack.debug().history(&Filter::default())?;
            if commits.iter().any(|commit| commit.provenance().is_some_and(|at| at.run == run)) {
                protected
                    .extend(commits.iter().filter_map(Commit::value).filter_map(protected_value));
            }
            for commit in commits {
                let place = commit.provenance().filter(|place| place.run == run);
                // Reads and refusals carry the step as well, but change nothing.
                let is_write = matches!(commit.action(), Action::Pack | Action::Delete);
                if let Some(node) = place.map(|place| place.node).filter(|_| is_write) {
                    writes.push((id.clone(), node, commit));
                }
            }
        }
        // The sort is stable, so the commits of one backpack stay in their order.
        writes.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(PackedInRun { writes, protected, unreadable, not_reached })
    }
}

impl PackedInRun {
    /// Returns the net change at some nodes, key by key: from the value before the first write to the value after the
    /// last.
    pub(crate) fn net(&self, is_meant: &dyn Fn(&NodeId) -> bool) -> Vec<KeyWritten> {
        let mut spans: BTreeMap<(&BackpackId, &Key), (&Commit, &Commit)> = BTreeMap::new();
        for (backpack, _, commit) in self.writes.iter().filter(|(_, node, _)| is_meant(node)) {
            // The first write of a key fixes the start of the span, every later one moves its end.
            let span = spans.entry((backpack, commit.key())).or_insert((commit, commit));
            span.1 = commit;
        }
        let net = |((backpack, key), (first, last)): ((&BackpackId, &Key), _)| {
            Some(net_change(key, first, last)?.written(backpack))
        };
        spans.into_iter().filter_map(net).collect()
    }
}

fn protected_value(item: &Item) -> Option<Value> {
    item.labels().is_protected().then(|| item.value().ok()).flatten()
}

fn net_change(key: &Key, first: &Commit, last: &Commit) -> Option<KeyChangeShown> {
    let held = |item: Option<&Item>| item.cloned().map(Arc::new);
    let before = held(first.previous());
    let after = held(last.value().filter(|_| last.action() == Action::Pack));
    let kind = match (&before, &after) {
        // A key that was added and removed again has no net change.
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), Some(_)) => ChangeKind::Modified,
        (Some(_), None) => ChangeKind::Deleted,
    };
    let by = Some(Arc::new(last.author().clone()));
    let change = KeyChange { key: key.clone(), kind, before, after, by };
    Some(render_change(&change, Reveal::Nothing))
}
