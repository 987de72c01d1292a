//! Differences between two trees.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::Digest;
use serde::Serialize;

use super::{Moves, NodeKind, TreeNodeId, TreePath};

/// A tree node as one of two trees has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeSide {
    pub id: TreeNodeId,
    pub kind: NodeKind,
    /// Digest of a file's content, as far as it was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
    /// Digest of a link's target, as far as it was needed.
    #[serde(skip)]
    pub target: Option<Digest>,
}

piton_core::closed_set! {
    /// How a path differs.
    pub enum ChangeKind {
        /// Only the newer tree has it.
        Added => "added",
        /// Both have it, and it is not the same.
        Changed => "changed",
        /// Only the older tree has it.
        Removed => "removed",
        /// The newer tree has it, with the content of a file that only the older one has.
        Renamed => "renamed",
    }
}

/// A path that differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeChange {
    /// For a rename, the new path.
    pub path: TreePath,
    pub change: ChangeKind,
    /// Node in the older tree. For a rename, the one at the old path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<TreeSide>,
    /// Node in the newer tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<TreeSide>,
    /// Old path of a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<TreePath>,
}

impl TreeChange {
    /// Returns the change at `path`, if there is any.
    pub fn of(path: TreePath, old: Option<TreeSide>, new: Option<TreeSide>) -> Option<Self> {
        let change = match (&old, &new) {
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (Some(old), Some(new)) if old.id != new.id => ChangeKind::Changed,
            _ => return None,
        };
        Some(Self { path, change, old, new, renamed_from: None })
    }

    /// Returns the kind of the node that is there now, or that was there.
    pub fn kind(&self) -> NodeKind {
        let side = self.new.or(self.old).expect("a change has a side");
        side.kind
    }
}

/// Combines removed and added files of the same content into renames, and sorts by path.
///
/// Certain moves come first. If several other files have the same content, the first removed path is paired with the
/// first added one, and so on.
pub fn pair_renames(mut changes: Vec<TreeChange>) -> Vec<TreeChange> {
    changes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    let content = |side: Option<TreeSide>| side.and_then(|side| side.content);
    let certain: BTreeMap<TreePath, TreePath> =
        Moves::of(&changes).certain.into_iter().map(|found| (found.to, found.from)).collect();
    let is_certain: BTreeSet<TreePath> = certain.values().cloned().collect();
    let places: BTreeMap<TreePath, usize> =
        changes.iter().enumerate().map(|(place, change)| (change.path.clone(), place)).collect();
    let mut removed: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
    // Reversed, so that `pop` below yields the removed paths in order.
    for (place, change) in changes.iter().enumerate().rev() {
        if change.change == ChangeKind::Removed
            && !is_certain.contains(&change.path)
            && let Some(digest) = content(change.old)
        {
            removed.entry(digest).or_default().push(place);
        }
    }
    let mut gone = vec![false; changes.len()];
    for place in 0..changes.len() {
        if changes[place].change != ChangeKind::Added {
            continue;
        }
        let Some(digest) = content(changes[place].new) else { continue };
        let from = match certain.get(&changes[place].path) {
            Some(from) => Some(places[from]),
            None => removed.get_mut(&digest).and_then(Vec::pop),
        };
        if let Some(from) = from {
            gone[from] = true;
            let (path, old) = (changes[from].path.clone(), changes[from].old);
            let change = &mut changes[place];
            (change.change, change.old, change.renamed_from) =
                (ChangeKind::Renamed, old, Some(path));
        }
    }
    let mut place = 0;
    changes.retain(|_| {
        place += 1;
        !gone[place - 1]
    });
    changes
}
