//! The operations of one agent. An adapter is bound to its agent when it is created, so no call can act as another.
//!
//! *Invariants*: every call is checked against the role first, including reads. What it writes has the same ids that
//! the same call from anywhere else would give.

use piton_core::Digest;

use super::{Agents, ContextAgent, Right};
use crate::frame::{
    Appended, Basis, BasisInputs, Frame, FrameDraft, FrameHead, FrameId, Metadata, NewFrame,
    Precondition,
};
use crate::history::{Adopted, NodeRef, RootRef};
use crate::read::{Composed, Composition, NodeContext, View};
use crate::scan::Scanner;
use crate::synthesis::{RegenerateScope, Regenerated, SynthesizeRequest, Synthesized};
use crate::tree::TreePath;
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// The context of a project as one agent sees it.
#[derive(Clone)]
pub struct AgentAdapter {
    context: Context,
    agent: ContextAgent,
    said: Metadata,
}

/// An answer of a model that is to become a frame.
#[derive(Clone, Debug)]
pub struct ModelAnswer {
    /// Digest of the prompt.
    pub prompt: Digest,
    /// The nodes and frames that the model was given to read.
    pub given: Vec<BasisInputs>,
    /// Number of the attempt, from 1.
    pub attempt: u64,
    pub content: Vec<u8>,
    /// Provider, model and usage.
    pub metadata: Metadata,
}

impl AgentAdapter {
    /// Creates the adapter of the agent `id`. Refuses an unknown agent.
    pub fn new(context: Context, agents: &Agents, id: &AgentId) -> Result<Self, Error> {
        Ok(Self { context, agent: agents.get(id)?, said: Metadata::default() })
    }

    /// Adds metadata to every frame that it makes, for example on whose behalf. It overrides metadata of the frame
    /// itself.
    #[must_use]
    pub fn with_metadata(mut self, said: Metadata) -> Self {
        self.said = said;
        self
    }

    /// Checks the project directory and returns an updated adapter. Checks what the node `about` depends on, or
    /// everything. See [`Context::refreshed`].
    pub async fn refreshed(&self, scanner: &mut Scanner, about: Option<&NodeRef>) -> Self {
        Self { context: self.context.refreshed(scanner, about).await, ..self.clone() }
    }

    /// Returns the acting agent.
    pub fn agent(&self) -> &ContextAgent {
        &self.agent
    }

    /// Returns a node with the frames that a view selects.
    pub async fn read_context(&self, node: &NodeRef, view: &View) -> Result<NodeContext, Error> {
        self.agent.check(Right::Read)?;
        self.context.get_node_in(&RootRef::Current, node, view).await
    }

    /// Returns a node of a past tree as it was, with its frames as they are now.
    pub async fn read_context_in(
        &self,
        tree: &RootRef,
        node: &NodeRef,
        view: &View,
    ) -> Result<NodeContext, Error> {
        self.agent.check(Right::Read)?;
        self.context.get_node_in(tree, node, view).await
    }

    /// Composes frames of a node and its surroundings, within limits.
    pub async fn compose(&self, node: &NodeRef, how: &Composition) -> Result<Composed, Error> {
        self.agent.check(Right::Read)?;
        self.context.compose(node, how).await
    }

    /// Returns the heads at a path: ids and descriptions, never contents.
    pub async fn heads(&self, path: &TreePath) -> Result<Vec<FrameHead>, Error> {
        self.agent.check(Right::Read)?;
        self.context.heads(path).await
    }

    /// Puts a frame on a node.
    pub async fn write_context(
        &self,
        node: &NodeRef,
        mut frame: NewFrame,
        allow_stale: bool,
    ) -> Result<Appended, Error> {
        self.agent.check(Right::Append)?;
        frame.metadata = frame.metadata.and(&self.said)?;
        self.context.put_frame(&self.agent.id, node, frame, allow_stale).await
    }

    /// Makes the frame of a directory from the frames of its entries.
    pub async fn synthesize(
        &self,
        node: &NodeRef,
        request: &SynthesizeRequest,
    ) -> Result<Synthesized, Error> {
        self.agent.check(Right::Synthesize)?;
        self.context.synthesize(&self.agent.id, node, request, &self.said).await
    }

    /// Regenerates the frames whose basis changed.
    pub async fn regenerate(&self, scope: &RegenerateScope) -> Result<Regenerated, Error> {
        self.agent.check(Right::Synthesize)?;
        self.context.regenerate(&self.agent.id, scope, &self.said).await
    }

    /// Copies the newest frames of a path, which may be gone, to another node.
    pub async fn adopt(&self, from: &TreePath, to: &TreePath) -> Result<Vec<Adopted>, Error> {
        self.agent.check(Right::Append)?;
        let said = self.said.clone().with("adopted_by", self.agent.id.as_str());
        self.context.adopt(from, to, &said).await
    }

    /// Marks a head to be regenerated, and returns it with its path.
    pub async fn invalidate(
        &self,
        node: &NodeRef,
        frame_type: &FrameType,
        reason: &str,
    ) -> Result<(TreePath, FrameHead), Error> {
        self.agent.check(Right::Append)?;
        self.context.invalidate(&self.agent.id, node, frame_type, reason).await
    }

    /// True if the head of a type at a path is marked to be regenerated.
    pub async fn is_invalidated(
        &self,
        path: &TreePath,
        frame_type: &FrameType,
    ) -> Result<bool, Error> {
        self.agent.check(Right::Read)?;
        Ok(self.context.invalidated(path, frame_type).await?.is_some())
    }

    /// Returns the frame that a model's answer to exactly this prompt would have, if it exists.
    pub async fn generated(
        &self,
        path: &TreePath,
        frame_type: &FrameType,
        prompt: Digest,
        given: &[BasisInputs],
        attempt: u64,
    ) -> Result<Option<Frame>, Error> {
        self.agent.check(Right::Read)?;
        let basis = Basis::Generated { prompt, given: given.to_vec(), attempt };
        let id = FrameId::of(path, frame_type, &self.agent.id, &basis);
        match self.context.frame(id).await {
            Ok(frame) => Ok(Some(frame)),
            Err(Error::FrameNotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Appends a model's answer about a node as a frame. The same question again returns the existing frame.
    pub async fn generate_frame(
        &self,
        node: &NodeRef,
        frame_type: &FrameType,
        answer: ModelAnswer,
    ) -> Result<Appended, Error> {
        self.agent.check(Right::Append)?;
        if answer.given.len() > crate::bounds::GIVEN_MAX {
            let max = crate::bounds::GIVEN_MAX;
            let count = answer.given.len();
            return Err(Error::Invalid(format!(
                "the model was given {count} pieces; at most {max}"
            )));
        }
        let root = self.context.current().await?.root;
        let node = self.context.node(root, node).await?;
        let basis = Basis::Generated {
            prompt: answer.prompt,
            given: answer.given,
            attempt: answer.attempt,
        };
        let draft = FrameDraft {
            path: node.path,
            node_id: node.id,
            frame_type: frame_type.clone(),
            agent_id: self.agent.id.clone(),
            basis,
            content: answer.content,
            metadata: answer.metadata.and(&self.said)?,
        };
        self.context.append(&draft, &Precondition::default()).await
    }
}
