//! What the steps of a run packed, in whichever backpack.

use std::collections::BTreeMap;

use piton_backpack::{Action, BackpackId, ChangeKind, Commit, Filter, Item, Key, KeyChange};
use piton_core::{Envelope, NodeId, RunId};

use super::backpacks::{Backpacks, Reveal};
use super::differences;
use super::reply::ChangeShown;
use super::search::Searched;

/// What the steps of a run packed and removed, the oldest first in each backpack.
pub(crate) struct PackedInRun {
    writes: Vec<(BackpackId, NodeId, Commit)>,
    /// How many backpacks cannot be read.
    pub(crate) unreadable: usize,
    /// How many backpacks the search did not come to.
    pub(crate) not_reached: usize,
}

impl Backpacks {
    /// What the steps of a run packed and removed.
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
                let is_write = matches!(commit.action(), Action::Pack | Action::Delete);
                if let Some(node) = place.map(|place| place.node).filter(|_| is_write) {
                    writes.push((id.clone(), node, commit));
                }
            }
        }
        writes.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(PackedInRun { writes, unreadable, not_reached })
    }
}

impl PackedInRun {
    /// What came of it at some nodes, key by key: what each key held before the first write and after the last.
    pub(crate) fn net(&self, is_meant: &dyn Fn(&NodeId) -> bool) -> Vec<(BackpackId, ChangeShown)> {
        let mut spans: BTreeMap<(&BackpackId, &Key), (&Commit, &Commit)> = BTreeMap::new();
        for (backpack, _, commit) in self.writes.iter().filter(|(_, node, _)| is_meant(node)) {
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
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), Some(_)) => ChangeKind::Modified,
        (Some(_), None) => ChangeKind::Deleted,
    };
    let by = Some(std::sync::Arc::new(last.author().clone()));
    let change = KeyChange { key: key.clone(), kind, before, after, by };
    Some(differences::render_change(&change, Reveal::Nothing))
}
