//! Writes that the steps of a run made, across all backpacks.

use std::collections::BTreeMap;

use piton_backpack::{Action, BackpackId, ChangeKind, Commit, Filter, Item, Key, KeyChange};
use piton_core::{Envelope, NodeId, RunId};

use super::backpacks::{Backpacks, Reveal};
use super::differences;
use super::reply::ChangeShown;
use super::search::Searched;

/// Values that the steps of a run packed and removed, oldest first in each backpack.
pub(crate) struct PackedInRun {
    writes: Vec<(BackpackId, NodeId, Commit)>,
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
        let mut writes = Vec::new();
        for id in ids {
            let Ok(backpack) = self.read(&id).await else {
                unreadable += 1;
                continue;
            };
            let commits = backpack.debug().history(&Filter::default());
            for commit in commits.map_err(|error| error.envelope())? {
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
        Ok(PackedInRun { writes, unreadable, not_reached })
    }
}

impl PackedInRun {
    /// Returns the net change at some nodes, key by key: from the value before the first write to the value after the
    /// last.
    pub(crate) fn net(&self, is_meant: &dyn Fn(&NodeId) -> bool) -> Vec<(BackpackId, ChangeShown)> {
        let mut spans: BTreeMap<(&BackpackId, &Key), (&Commit, &Commit)> = BTreeMap::new();
        for (backpack, _, commit) in self.writes.iter().filter(|(_, node, _)| is_meant(node)) {
            // The first write of a key fixes the start of the span, every later one moves its end.
            let span = spans.entry((backpack, commit.key())).or_insert((commit, commit));
            span.1 = commit;
        }
        let told = |((backpack, key), (first, last)): ((&BackpackId, &Key), _)| {
            Some((backpack.clone(), render_change(key, first, last)?))
        };
        spans.into_iter().filter_map(told).collect()
    }
}

fn render_change(key: &Key, first: &Commit, last: &Commit) -> Option<ChangeShown> {
    let held = |item: Option<&Item>| item.cloned().map(std::sync::Arc::new);
    let before = held(first.previous());
    let after = held(last.value().filter(|_| last.action() == Action::Pack));
    let kind = match (&before, &after) {
        // A key that was added and removed again has no net change.
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), Some(_)) => ChangeKind::Modified,
        (Some(_), None) => ChangeKind::Deleted,
    };
    let by = Some(std::sync::Arc::new(last.author().clone()));
    let change = KeyChange { key: key.clone(), kind, before, after, by };
    Some(differences::render_change(&change, Reveal::Nothing))
}
