//! Which frames belong to what differs between two trees.

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
    /// Where it is.
    pub path: TreePath,
    /// Its type.
    pub frame_type: FrameType,
    /// Whose it is.
    pub agent: AgentId,
    /// Its number among everything that was appended.
    pub sequence: u64,
    /// The frame.
    pub frame: FrameId,
    /// `added` if it is about what the newer tree has there, `removed` if it is about what only the older one has.
    pub change: ChangeKind,
}

impl Context {
    /// The frames about what differs, by path: those that were made for the older tree, and those for the newer. Costs
    /// what the differing paths have of frames.
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
