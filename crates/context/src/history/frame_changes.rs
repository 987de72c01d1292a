//! Finds the frames that belong to the differences between two trees.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{
    Context, Error,
    frame::FrameId,
    tree::{ChangeKind, TreeChange, TreeNodeId, TreePath},
    word::{AgentId, FrameType},
};

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
