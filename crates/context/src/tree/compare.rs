//! What differs between two trees.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::Digest;
use serde::Serialize;

use super::{Moves, NodeKind, TreeNodeId, TreePath};

/// A tree node as one of two trees has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeSide {
    /// Its id.
    pub id: TreeNodeId,
    /// What it is.
    pub kind: NodeKind,
    /// For a file, the digest of its bytes, as far as it was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
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
#[expect(clippy::struct_field_names, reason = "`change` is what readers of JSON look for")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeChange {
    /// The path; of a rename, the new one.
    pub path: TreePath,
    /// How it differs.
    pub change: ChangeKind,
    /// What the older tree has there; of a rename, at the old path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<TreeSide>,
    /// What the newer tree has there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<TreeSide>,
    /// Of a rename, the old path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<TreePath>,
}

impl TreeChange {
    /// What differs at `path`, if anything does.
    pub fn of(path: TreePath, old: Option<TreeSide>, new: Option<TreeSide>) -> Option<Self> {
        let change = match (&old, &new) {
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (Some(old), Some(new)) if old.id != new.id => ChangeKind::Changed,
            _ => return None,
        };
        Some(Self { path, change, old, new, renamed_from: None })
    }

    /// What is there now, or was.
    pub fn kind(&self) -> NodeKind {
        let side = self.new.or(self.old).expect("a change has a side");
        side.kind
    }
}

/// Makes renames out of removed and added files of the same content, and sorts by path.
///
/// What was moved for certain comes first. Where several other files have one content, the first removed path goes with
/// the first added one, and so on.
pub fn pair_renames(mut changes: Vec<TreeChange>) -> Vec<TreeChange> {
    changes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    let content = |side: Option<TreeSide>| side.and_then(|side| side.content);
    let certain: BTreeMap<TreePath, TreePath> =
        Moves::of(&changes).certain.into_iter().map(|found| (found.to, found.from)).collect();
    let is_certain: BTreeSet<TreePath> = certain.values().cloned().collect();
    let places: BTreeMap<TreePath, usize> =
        changes.iter().enumerate().map(|(place, change)| (change.path.clone(), place)).collect();
    let mut removed: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
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
