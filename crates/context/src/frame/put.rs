//! Frames that agents write.

use std::collections::BTreeMap;

use piton_core::{Digest, FileBytes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Appended, Basis, FrameDraft, Metadata, Precondition};
use crate::bounds::TRIES_MAX;
use crate::history::{FoundNode, NodeRef, RootEntry};
use crate::tree::TreeNodeId;
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// Metadata keys that only Piton itself writes.
const RESERVED: [&str; 13] = [
    "session",
    "run",
    "node",
    "step",
    "regenerated_by",
    "adopted_from",
    "adopted_frame",
    "adopted_by",
    "provider",
    "model",
    "finish",
    "input_tokens",
    "output_tokens",
];

/// Puts a frame on a file or directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutFrame {
    /// The file or directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// What the frame says about it, for example `summary` or `review`.
    pub frame_type: FrameType,
    /// What it says.
    pub content: String,
    /// Whether an id that is not current any more is taken.
    #[serde(default)]
    pub allow_stale: bool,
    /// Further metadata, as a person gives it.
    #[serde(skip)]
    pub metadata: BTreeMap<String, String>,
    /// Agent that the frame claims to be from. It must be the one that submits it.
    #[serde(skip)]
    pub agent_id: Option<AgentId>,
    /// Node that the frame claims to be about. It must be the one that it is put on.
    #[serde(skip)]
    pub node_id: Option<TreeNodeId>,
}

impl PutFrame {
    /// Creates a request that claims nothing and adds no metadata.
    pub fn new(node: impl Into<String>, frame_type: FrameType, content: impl Into<String>) -> Self {
        Self {
            node: node.into(),
            frame_type,
            content: content.into(),
            allow_stale: false,
            metadata: BTreeMap::new(),
            agent_id: None,
            node_id: None,
        }
    }

    /// Returns the metadata of the new frame. Refuses keys that are evidence of who made a frame and when: a caller must
    /// not be able to forge them.
    pub(crate) fn metadata(&self) -> Result<Metadata, Error> {
        if let Some(key) = self.metadata.keys().find(|key| RESERVED.contains(&key.as_str())) {
            return Err(Error::Invalid(format!(
                "the metadata `{key}` is written by Piton itself; use another name"
            )));
        }
        Metadata::new(self.metadata.clone())
    }
}

impl Context {
    /// Puts a frame of `agent` on a node.
    ///
    /// Refuses an empty text, and a node that is no longer in the current tree unless that is allowed.
    pub(crate) async fn put_frame(
        &self,
        agent: &AgentId,
        asked: &NodeRef,
        request: &PutFrame,
        metadata: &Metadata,
    ) -> Result<Appended, Error> {
        // An empty frame would replace a text, and could not be told from a text that was lost.
        if request.content.trim_ascii().is_empty() {
            return Err(Error::Invalid(format!(
                "the text of the frame is empty, so nothing was written; say what holds of {asked} now"
            )));
        }
        for _ in 0..TRIES_MAX {
            match self.try_put_frame(agent, asked, request, metadata).await {
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
        request: &PutFrame,
        metadata: &Metadata,
    ) -> Result<Appended, Error> {
        let (row, RootEntry { root, .. }) = self.current_row().await?;
        let FoundNode { node, there: current } = self.find(root, asked).await?;
        if let Some(given) = request.agent_id.as_ref().filter(|given| *given != agent) {
            return Err(Error::Impersonation {
                given: format!("of the agent {given}"),
                expected: format!("one of {agent}"),
            });
        }
        if let Some(given) = request.node_id.filter(|given| *given != node.id) {
            return Err(Error::Impersonation {
                given: format!("about the node {given}"),
                expected: format!("one about {} at {}", node.id, node.path),
            });
        }
        if current != Some(node.id) && !request.allow_stale {
            return Err(Error::NodeStale {
                path: node.path,
                given: node.id,
                current: current.map_or_else(|| "gone".to_owned(), |id| id.to_string()),
            });
        }
        let content = Digest::of(&FileBytes(request.content.as_bytes()));
        let draft = FrameDraft {
            path: node.path,
            node_id: node.id,
            frame_type: request.frame_type.clone(),
            agent_id: agent.clone(),
            basis: Basis::Written { node_id: node.id, content },
            content: request.content.clone().into_bytes(),
            metadata: metadata.clone(),
        };
        // The append fails with a conflict if the tree that the node was found in is no longer current.
        self.append(&draft, &Precondition { current: Some(row), sequence: None }).await
    }
}
