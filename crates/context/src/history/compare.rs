//! Compares two trees by descending only where their ids differ, and finds the frames about the differences.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use serde::Serialize;

use super::root::{RootEntry, RootRef};
use crate::frame::FrameId;
use crate::rows::NodeBody;
use crate::tree::{
    ChangeKind, Directory, Moves, Name, NodeKind, TreeChange, TreeNode, TreeNodeId, TreePath,
    TreeSide, pair_renames,
};
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// A directory of one of the two trees.
#[derive(Clone)]
pub(crate) enum TreeCursor {
    /// A recorded directory.
    Stored(TreeNodeId),
    /// A directory that was just scanned.
    Scanned(Arc<Directory>),
}

/// An entry of one of the two directories.
struct Child {
    name: Name,
    side: TreeSide,
    node: Option<TreeNode>,
}

impl Child {
    fn directory(&self) -> Option<TreeCursor> {
        match &self.node {
            Some(TreeNode::Directory(directory)) => {
                Some(TreeCursor::Scanned(Arc::clone(directory)))
            }
            None if self.side.kind == NodeKind::Directory => Some(TreeCursor::Stored(self.side.id)),
            _ => None,
        }
    }
}

/// The differences between two trees, and the nodes that are new.
#[derive(Default)]
pub(crate) struct TreeDifference {
    /// Every path that differs, in no particular order.
    pub(crate) changes: Vec<TreeChange>,
    /// Nodes that only the newer tree has, if it was scanned. Parents come before their entries.
    pub(crate) new_nodes: Vec<(TreePath, TreeNode)>,
}

/// The differences between two recorded trees.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Differences {
    pub old: RootEntry,
    pub new: RootEntry,
    /// Paths that differ, in order.
    pub changes: Vec<TreeChange>,
    /// Frames about either side of the differences.
    pub frames: Vec<FrameChange>,
}

impl Context {
    /// Returns the differences between two recorded trees, with the frames about them.
    pub async fn differences(&self, old: &RootRef, new: &RootRef) -> Result<Differences, Error> {
        let changes = self.diff(old, new).await?;
        let frames = self.frames_of_changes(&changes).await?;
        let (old, new) = (self.root(old).await?, self.root(new).await?);
        Ok(Differences { old, new, changes, frames })
    }

    /// Returns the differences between two recorded trees, sorted by path.
    pub async fn diff(&self, old: &RootRef, new: &RootRef) -> Result<Vec<TreeChange>, Error> {
        let (old, new) = (self.root(old).await?.root, self.root(new).await?.root);
        let found = self.compare(Some(TreeCursor::Stored(old)), TreeCursor::Stored(new)).await?;
        Ok(self.renames(found.changes).await?.0)
    }

    /// Compares two topmost directories.
    pub(crate) async fn compare(
        &self,
        old: Option<TreeCursor>,
        new: TreeCursor,
    ) -> Result<TreeDifference, Error> {
        let mut found = TreeDifference::default();
        let top = |place: &TreeCursor| match place {
            TreeCursor::Stored(id) => *id,
            TreeCursor::Scanned(directory) => directory.id(),
        };
        let side = |place: &TreeCursor| TreeSide {
            id: top(place),
            kind: NodeKind::Directory,
            content: None,
            target: None,
        };
        let (old_side, new_side) = (old.as_ref().map(side), side(&new));
        let Some(change) = TreeChange::of(TreePath::root(), old_side, Some(new_side)) else {
            return Ok(found);
        };
        found.changes.push(change);
        if let TreeCursor::Scanned(directory) = &new {
            found.new_nodes.push((TreePath::root(), TreeNode::Directory(Arc::clone(directory))));
        }
        let mut waiting = vec![(TreePath::root(), old, Some(new))];
        while let Some((path, old, new)) = waiting.pop() {
            let old = self.entries(old).await?;
            let new = self.entries(new).await?;
            for (old, new) in join(old, new) {
                let name = new.as_ref().or(old.as_ref()).expect("one of the two is there");
                let path = path.join(&name.name);
                let sides = (old.as_ref().map(|old| old.side), new.as_ref().map(|new| new.side));
                // Equal ids mean equal subtrees, so there is nothing to see below.
                let Some(change) = TreeChange::of(path.clone(), sides.0, sides.1) else {
                    continue;
                };
                found.changes.push(change);
                let below = (
                    old.as_ref().and_then(Child::directory),
                    new.as_ref().and_then(Child::directory),
                );
                if let Some(node) = new.and_then(|new| new.node) {
                    found.new_nodes.push((path.clone(), node));
                }
                // A stack instead of recursion: depth is bounded only by the longest path.
                if below.0.is_some() || below.1.is_some() {
                    waiting.push((path, below.0, below.1));
                }
            }
        }
        Ok(found)
    }

    /// Finds the renames among changes, and the moves that are certain.
    pub(super) async fn renames(
        &self,
        mut changes: Vec<TreeChange>,
    ) -> Result<(Vec<TreeChange>, Moves), Error> {
        let is_file =
            |side: &Option<TreeSide>| side.is_some_and(|side| side.kind == NodeKind::File);
        // Content that disappeared from one path may have appeared at another. Loading contents is worthwhile only if
        // that is possible, and not when a single file changed in place.
        let lost = changes.iter().filter(|change| is_file(&change.old)).count();
        let found = changes.iter().filter(|change| is_file(&change.new)).count();
        let only = changes.iter().any(|change| is_file(&change.old) && is_file(&change.new));
        if lost > 0 && found > 0 && !(lost == 1 && found == 1 && only) {
            for change in &mut changes {
                for side in [&mut change.old, &mut change.new].into_iter().flatten() {
                    let is_known = side.content.is_some() || side.target.is_some();
                    if side.kind == NodeKind::Directory || is_known {
                        continue;
                    }
                    match self.body(side.id).await? {
                        Some((_, NodeBody::File { content, .. })) => side.content = Some(content),
                        Some((_, NodeBody::Symlink { target })) => {
                            side.target = Some(target_digest(&target));
                        }
                        _ => {}
                    }
                }
            }
        }
        let moves = Moves::of(&changes);
        Ok((pair_renames(changes), moves))
    }

    /// Returns the digest of the content of a recorded file, or `None` if the node is not a file.
    pub async fn content_of(&self, id: TreeNodeId) -> Result<Option<Digest>, Error> {
        match self.body(id).await? {
            Some((_, NodeBody::File { content, .. })) => Ok(Some(content)),
            _ => Ok(None),
        }
    }

    async fn entries(&self, place: Option<TreeCursor>) -> Result<Vec<Child>, Error> {
        match place {
            None => Ok(Vec::new()),
            Some(TreeCursor::Stored(id)) => {
                let children = self.children(id).await?.into_iter();
                let child = |child: crate::rows::ChildRecord| Child {
                    name: child.name,
                    side: TreeSide { id: child.id, kind: child.kind, content: None, target: None },
                    node: None,
                };
                Ok(children.map(child).collect())
            }
            Some(TreeCursor::Scanned(directory)) => {
                let child = |entry: &crate::tree::TreeEntry| {
                    let (content, target) = match &entry.node {
                        TreeNode::File(file) => (Some(file.content), None),
                        TreeNode::Symlink(link) => (None, Some(target_digest(&link.target))),
                        TreeNode::Directory(_) => (None, None),
                    };
                    let (id, kind) = (entry.node.id(), entry.node.kind());
                    let side = TreeSide { id, kind, content, target };
                    Child { name: entry.name.clone(), side, node: Some(entry.node.clone()) }
                };
                Ok(directory.entries().iter().map(child).collect())
            }
        }
    }
}

/// Returns the digest by which the targets of two links are compared.
fn target_digest(target: &[u8]) -> Digest {
    Digest::of(&FileBytes(target))
}

/// Pairs the entries of two directories by name. Both are sorted by name.
fn join(old: Vec<Child>, new: Vec<Child>) -> Vec<(Option<Child>, Option<Child>)> {
    let mut pairs = Vec::with_capacity(old.len().max(new.len()));
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return pairs,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.name.cmp(&other.name),
        };
        pairs.push(match order {
            Ordering::Less => (old.next(), None),
            Ordering::Equal => (old.next(), new.next()),
            Ordering::Greater => (None, new.next()),
        });
    }
}

/// A frame about one side of a difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameChange {
    pub path: TreePath,
    pub frame_type: FrameType,
    pub agent: AgentId,
    /// Number of the append, counted over the whole project.
    pub sequence: u64,
    pub frame: FrameId,
    /// `added` if it is about the node in the newer tree, `removed` if it is about a node that only the older tree has.
    pub change: ChangeKind,
}

impl Context {
    /// Returns the frames about the differences, sorted by path: those made for the older tree and those made for the
    /// newer. The cost grows with the number of frames at the differing paths.
    pub async fn frames_of_changes(
        &self,
        changes: &[TreeChange],
    ) -> Result<Vec<FrameChange>, Error> {
        let mut found = BTreeSet::new();
        for change in changes {
            let old_path = change.renamed_from.as_ref().unwrap_or(&change.path);
            if let Some(old) = &change.old {
                self.about(old_path, old.id, ChangeKind::Removed, &mut found).await?;
            }
            if let Some(new) = &change.new {
                self.about(&change.path, new.id, ChangeKind::Added, &mut found).await?;
            }
        }
        Ok(found.into_iter().collect())
    }

    async fn about(
        &self,
        path: &TreePath,
        node: TreeNodeId,
        change: ChangeKind,
        found: &mut BTreeSet<FrameChange>,
    ) -> Result<(), Error> {
        for (frame, _) in self.frames_of(path).await? {
            if frame.node_id == node {
                found.insert(FrameChange {
                    path: frame.path,
                    frame_type: frame.frame_type,
                    agent: frame.agent_id,
                    sequence: frame.sequence,
                    frame: frame.id,
                    change,
                });
            }
        }
        Ok(())
    }
}
