//! Writing a frame by hand.

use piton_core::{Digest, FileBytes};

use super::{Appended, Basis, FrameDraft, Metadata, Precondition};
use crate::{
    Context, Error,
    bounds::TRIES_MAX,
    history::{FoundNode, NodeRef, RootEntry},
    rows::keys::RowKind,
    tree::TreeNodeId,
    word::{AgentId, FrameType},
};

/// A frame that somebody wrote.
#[derive(Clone, Debug)]
pub struct NewFrame {
    /// What it says about the node.
    pub frame_type: FrameType,
    /// What it says.
    pub content: Vec<u8>,
    /// What else is said about it.
    pub metadata: Metadata,
    /// The agent that the frame says it is from; it must be the one that hands it in.
    pub agent_id: Option<AgentId>,
    /// The node that the frame says it is about; it must be the one that it is put on.
    pub node_id: Option<TreeNodeId>,
}

impl NewFrame {
    /// A frame of a type.
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
    /// A node that is not in the current tree any more is refused, unless `allow_stale`, and so is an empty text.
    pub(crate) async fn put_frame(
        &self,
        agent: &AgentId,
        asked: &NodeRef,
        new: NewFrame,
        allow_stale: bool,
    ) -> Result<Appended, Error> {
        // It would take the place of a text, and nobody could tell that from a text that was lost.
        if new.content.trim_ascii().is_empty() {
            return Err(Error::Invalid(format!(
                "the text of the frame is empty, so nothing was written; say what holds of {asked} now"
            )));
        }
        for _ in 0..TRIES_MAX {
            match self.try_put_frame(agent, asked, new.clone(), allow_stale).await {
                // The tree changed in between: the node is looked at again.
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
        self.append(&draft, &Precondition { current: Some(row), sequence: None }).await
    }
}
