//! Writing a frame by hand.

use piton_core::{Digest, FileBytes};

use super::{Appended, Basis, FrameDraft, Metadata, Precondition};
use crate::bounds::TRIES_MAX;
use crate::history::{FoundNode, NodeRef, RootEntry};
use crate::rows::keys::RowKind;
use crate::tree::TreeNodeId;
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// A frame to be written by hand.
#[derive(Clone, Debug)]
pub struct NewFrame {
    /// Aspect of the node that the frame describes.
    pub frame_type: FrameType,
    pub content: Vec<u8>,
    pub metadata: Metadata,
    /// Agent that the frame claims to be from. It must be the one that submits it.
    pub agent_id: Option<AgentId>,
    /// Node that the frame claims to be about. It must be the one that it is put on.
    pub node_id: Option<TreeNodeId>,
}

impl NewFrame {
    /// Creates a frame of the given type.
    pub fn new(frame_type: FrameType, content: impl Into<Vec<u8>>) -> Self {
        Self {
            frame_type,
            content: content.into(),
            metadata: Metadata::default(),
            agent_id: None,
            node_id: None,
        }
    }
}

impl Context {
    /// Puts a frame of `agent` on a node.
    ///
    /// Refuses an empty text, and a node that is no longer in the current tree unless `allow_stale` is set.
    pub(crate) async fn put_frame(
        &self,
        agent: &AgentId,
        asked: &NodeRef,
        new: NewFrame,
        allow_stale: bool,
    ) -> Result<Appended, Error> {
        // An empty frame would replace a text, and could not be told from a text that was lost.
        if new.content.trim_ascii().is_empty() {
            return Err(Error::Invalid(format!(
                "the text of the frame is empty, so nothing was written; say what holds of {asked} now"
            )));
        }
        for _ in 0..TRIES_MAX {
            match self.try_put_frame(agent, asked, new.clone(), allow_stale).await {
                // The tree changed in between, so look up the node again.
                Err(error) if error.is_conflict() => {}
                outcome => return outcome,
            }
        }
        Err(Error::too_many("the tree changed again and again"))
    }

    async fn try_put_frame(
        &self,
        agent: &AgentId,
        asked: &NodeRef,
        new: NewFrame,
        allow_stale: bool,
    ) -> Result<Appended, Error> {
        let row = self.row(&self.keys.only(RowKind::Current)).await?.ok_or(Error::NotScanned)?;
        let root = RootEntry::decode(&row.value)?.root;
        let FoundNode { node, there: current } = self.find(root, asked).await?;
        if let Some(given) = new.agent_id.filter(|given| given != agent) {
            return Err(Error::Impersonation {
                given: format!("of the agent {given}"),
                expected: format!("one of {agent}"),
            });
        }
        if let Some(given) = new.node_id.filter(|given| *given != node.id) {
            return Err(Error::Impersonation {
                given: format!("about the node {given}"),
                expected: format!("one about {} at {}", node.id, node.path),
            });
        }
        if current != Some(node.id) && !allow_stale {
            return Err(Error::NodeStale {
                path: node.path,
                given: node.id,
                current: current.map_or_else(|| "gone".to_owned(), |id| id.to_string()),
            });
        }
        let content = Digest::of(&FileBytes(&new.content));
        let draft = FrameDraft {
            path: node.path,
            node_id: node.id,
            frame_type: new.frame_type,
            agent_id: agent.clone(),
            basis: Basis::Written { node_id: node.id, content },
            content: new.content,
            metadata: new.metadata,
        };
        // The append fails with a conflict if the tree that the node was found in is no longer current.
        self.append(&draft, &Precondition { current: Some(row), sequence: None }).await
    }
}
