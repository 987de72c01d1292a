//! One directory of the tree, with the state of the frames at and below each entry.

use std::collections::BTreeMap;

use piton_store::bounds::TABLE_GET_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::{LEVEL_ENTRIES_MAX, LEVEL_HEADS_MAX};
use crate::frame::{FrameHead, Freshness, Judge};
use crate::history::{NodeRef, RootRef};
use crate::rows::NodeBody;
use crate::tree::{NodeKind, TreePath};
use crate::word::FrameType;
use crate::{Context, Error};

/// Selects entries of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct LevelQuery {
    /// The directory: its path in the project, or the beginning of its id. Left out, it is the project directory.
    pub node: Option<String>,
    /// Only frames of this type count.
    pub frame_type: Option<FrameType>,
    /// Number of entries before the page.
    pub from: usize,
    /// Number of entries; a few screens if it is left out.
    pub limit: Option<usize>,
}

/// A page of the entries of a directory, in byte order of their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeLevel {
    pub path: TreePath,
    /// Number of the recorded tree.
    pub tree: u64,
    /// The directory itself, without what it holds.
    pub own: FrameCounts,
    pub from: usize,
    pub entries: Vec<LevelEntry>,
    /// Number of all entries.
    pub total: usize,
    /// Reason that the files could not be compared with the last scan, if that failed. Then nothing counts as fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LevelEntry {
    pub name: String,
    pub path: TreePath,
    pub kind: NodeKind,
    /// Bytes of a file, or of all files in a directory.
    pub size: u64,
    /// The entry with everything below it. None if there are too many frames to look at them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<FrameCounts>,
}

/// Numbers of tree nodes by the state of their newest frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameCounts {
    pub nodes: u64,
    /// Every frame of these is fresh.
    pub fresh: u64,
    /// A frame of these is stale.
    pub stale: u64,
    /// These have no frame.
    pub missing: u64,
    /// The frames of these could not be checked.
    #[serde(skip_serializing_if = "crate::is_zero")]
    pub unchecked: u64,
}

impl Context {
    /// Returns a page of the entries of a directory of the current tree.
    pub(crate) async fn level(&self, query: &LevelQuery) -> Result<TreeLevel, Error> {
        let asked = match &query.node {
            Some(node) => self.location().node(node)?,
            None => NodeRef::from(&TreePath::root()),
        };
        self.checked(None).await.level_of(&asked, query).await
    }

    async fn level_of(&self, asked: &NodeRef, query: &LevelQuery) -> Result<TreeLevel, Error> {
        let root = self.root(&RootRef::Current).await?;
        let node = self.node(root.root, asked).await?;
        let mut judge = Judge::of_many(self, root.root);
        judge.read_marks().await?;
        let wanted = query.frame_type.as_ref();
        let mut budget = LEVEL_HEADS_MAX;
        let own = self.heads(&node.path).await?;
        let own = own.into_iter().map(|head| (node.path.clone(), head)).collect();
        let own = self.counted(&mut judge, own, wanted, 1).await?;
        let (total, from) = (node.children.len(), query.from.min(node.children.len()));
        let limit = query.limit.unwrap_or(LEVEL_ENTRIES_MAX).clamp(1, LEVEL_ENTRIES_MAX);
        let mut entries = Vec::new();
        for child in node.children[from..].iter().take(limit) {
            let path = node.path.join(&child.name);
            let (_, body) = self.body(child.id).await?.ok_or_else(|| {
                Error::integrity(format!("the tree node {}", child.id), "its row is missing")
            })?;
            let (nodes, size) = match &body {
                NodeBody::Directory { totals, .. } => {
                    (totals.files + totals.directories + totals.symlinks, totals.bytes)
                }
                NodeBody::File { size, .. } => (1, *size),
                NodeBody::Symlink { target } => (1, target.len() as u64),
            };
            let counts = if budget == 0 {
                None
            } else {
                let heads = self.heads_within(&path).await?;
                let is_within = heads.len() <= budget;
                budget = budget.saturating_sub(heads.len());
                if is_within {
                    Some(self.counted(&mut judge, heads, wanted, nodes).await?)
                } else {
                    None
                }
            };
            entries.push(LevelEntry {
                name: child.name.to_string(),
                path,
                kind: child.kind,
                size,
                counts,
            });
        }
        Ok(TreeLevel {
            path: node.path,
            tree: root.sequence,
            own,
            from,
            entries,
            total,
            unchecked: self.unchecked().map(str::to_owned),
        })
    }

    /// Counts the nodes of some heads, which are sorted by path, among `nodes` nodes of the tree.
    async fn counted(
        &self,
        judge: &mut Judge<'_>,
        mut heads: Vec<(TreePath, FrameHead)>,
        wanted: Option<&FrameType>,
        nodes: u64,
    ) -> Result<FrameCounts, Error> {
        heads.retain(|(_, head)| wanted.is_none_or(|wanted| head.frame_type == *wanted));
        let mut worst: BTreeMap<TreePath, Freshness> = BTreeMap::new();
        // Entries come before their directory, so that a synthesis finds its inputs already judged.
        for heads in heads.rchunks(TABLE_GET_MAX) {
            for frame in self.frames_at(heads).await?.iter().rev() {
                // The frames of a path that is gone do not belong to the tree.
                if judge.id_at(&frame.path).await?.is_none() {
                    continue;
                }
                let found = judge.judge(frame).await?;
                let rank = |freshness: &Freshness| match freshness {
                    Freshness::Fresh => 0,
                    Freshness::Unchecked { .. } => 1,
                    Freshness::Stale { .. } => 2,
                };
                let known = worst.entry(frame.path.clone()).or_insert(Freshness::Fresh);
                if rank(&found) > rank(known) {
                    *known = found;
                }
            }
        }
        let mut counts = FrameCounts { nodes, ..FrameCounts::default() };
        for freshness in worst.values() {
            match freshness {
                Freshness::Fresh => counts.fresh += 1,
                Freshness::Stale { .. } => counts.stale += 1,
                Freshness::Unchecked { .. } => counts.unchecked += 1,
            }
        }
        counts.missing = nodes.saturating_sub(worst.len() as u64);
        Ok(counts)
    }
}
