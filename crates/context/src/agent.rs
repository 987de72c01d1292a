//! Agents: who may read, append and synthesise, and the operations of one agent. The handle is bound to its agent when it is created, so no call can act as another.
//!
//! *Invariants*: every call is checked against the role, once and before anything else. What it writes has the same ids
//! that the same call from anywhere else would give. In a [live](Context::live) context, a call that reports freshness
//! checks the files first, and one that writes scans first, so that both are about the files as they are now. A project
//! that was never scanned is left alone.
//!
//! *Limitations*: a scan runs on the thread of its call. Scanning a project again only checks stamps.

use std::collections::BTreeMap;

use piton_core::{Digest, Provenance, truncate};

use crate::bounds::{COMPOSED_TOKENS, GIVEN_MAX, METADATA_VALUE_BYTES_MAX, PREVIEW_FRAMES_MAX};
use crate::frame::{
    Appended, Basis, BasisInputs, Frame, FrameDraft, FrameHead, FrameId, Metadata, Precondition,
    PutFrame,
};
use crate::history::{Adopted, NodeRef, RootRef};
use crate::read::{
    ComposeContext, ComposePreview, Composed, Composition, GetContext, LevelQuery, NodeContext,
    TreeLevel, View, preview,
};
use crate::synthesis::{
    RegenerateFrames, Regenerated, SynthesizeFrames, SynthesizeRequest, Synthesized,
};
use crate::tree::TreePath;
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextAgent {
    pub id: AgentId,
    pub role: Role,
}

/// Every known agent. Others are refused.
#[derive(Clone, Debug, Default)]
pub struct Agents(BTreeMap<AgentId, Role>);

impl Agents {
    /// Creates the set of these agents.
    pub fn new(agents: impl IntoIterator<Item = ContextAgent>) -> Self {
        Self(agents.into_iter().map(|agent| (agent.id, agent.role)).collect())
    }

    /// Returns an agent by its name.
    pub fn get(&self, id: &AgentId) -> Result<ContextAgent, Error> {
        match self.0.get(id) {
            Some(role) => Ok(ContextAgent { id: id.clone(), role: *role }),
            None => Err(Error::UnknownAgent { agent: id.clone() }),
        }
    }

    /// Returns all agents, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = ContextAgent> + '_ {
        self.0.iter().map(|(id, role)| ContextAgent { id: id.clone(), role: *role })
    }
}

impl ContextAgent {
    /// Fails if the role does not allow the right.
    pub fn check(&self, right: Right) -> Result<(), Error> {
        if self.role.allows(right) {
            return Ok(());
        }
        Err(Error::Forbidden { agent: self.id.clone(), role: self.role, right })
    }
}

piton_core::closed_set! {
    /// What an agent is for.
    pub enum Role {
        /// Reads context through views.
        Reader => "reader",
        /// Reads, and appends frames.
        Writer => "writer",
        /// Reads, appends, and synthesises directories.
        Synthesis => "synthesis",
    }
}

piton_core::closed_set! {
    /// What a call needs.
    pub enum Right {
        /// To read context.
        Read => "read",
        /// To append frames.
        Append => "append",
        /// To synthesise and regenerate.
        Synthesize => "synthesize",
    }
}

impl Role {
    /// True if the role allows it.
    pub const fn allows(self, right: Right) -> bool {
        match self {
            Self::Reader => matches!(right, Right::Read),
            Self::Writer => matches!(right, Right::Read | Right::Append),
            Self::Synthesis => true,
        }
    }
}

/// The context of a project as one agent sees it.
#[derive(Clone)]
pub struct AgentContext {
    pub(crate) context: Context,
    agent: ContextAgent,
    /// Metadata of every frame that it makes.
    metadata: Metadata,
}

impl std::fmt::Debug for AgentContext {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "AgentContext({})", self.agent.id)
    }
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

impl AgentContext {
    /// Creates the handle of the agent `id`. Refuses an unknown agent.
    pub fn new(context: Context, agents: &Agents, id: &AgentId) -> Result<Self, Error> {
        Ok(Self { context, agent: agents.get(id)?, metadata: Metadata::default() })
    }

    /// Adds metadata to every frame that it makes, for example on whose behalf. It overrides metadata of the frame
    /// itself.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// Returns the same handle at a step of a run. The step is recorded in the metadata of every new frame.
    #[must_use]
    pub fn at_step(self, step: Option<&Provenance>) -> Self {
        let Some(Provenance { session, run, node, step }) = step else { return self };
        let step = truncate(step, METADATA_VALUE_BYTES_MAX);
        let metadata = Metadata::default()
            .with("session", session.to_string())
            .with("run", run.to_string())
            .with("node", node.to_string())
            .with("step", step);
        self.with_metadata(metadata)
    }

    /// Returns the acting agent.
    pub fn agent(&self) -> &ContextAgent {
        &self.agent
    }

    /// Returns the context that it acts in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns a file or directory of a recorded tree with its frames as they are now.
    pub async fn get_context(
        &self,
        request: &GetContext,
        tree: &RootRef,
    ) -> Result<NodeContext, Error> {
        self.agent.check(Right::Read)?;
        let node = self.context.location.node(&request.node)?;
        // Only the current tree can be out of date. A past tree is judged as it was recorded.
        let about = (*tree == RootRef::Current).then_some(&node);
        let context = self.context.checked(about).await;
        context.get_node_in(tree, &node, &View::from(request)).await
    }

    /// Combines the frames of a node and its surroundings into one text.
    pub async fn compose_context(&self, request: &ComposeContext) -> Result<Composed, Error> {
        self.agent.check(Right::Read)?;
        let location = &self.context.location;
        let how = Composition::new(request, location)?;
        let node = location.node(&request.node)?;
        // The directory and everything in it count, so checking a few files would not be enough.
        let mut composed = self.context.checked(None).await.compose(&node, &how).await?;
        composed.text = composed.export(how.tokens_max.unwrap_or(COMPOSED_TOKENS));
        composed.frames.iter_mut().for_each(|frame| frame.content = None);
        Ok(composed)
    }

    /// Returns what a composition takes in, and what falls off at which budget.
    pub async fn preview_context(&self, request: &ComposeContext) -> Result<ComposePreview, Error> {
        self.agent.check(Right::Read)?;
        let location = &self.context.location;
        let how = Composition::new(request, location)?;
        let node = location.node(&request.node)?;
        // All frames with their contents: the size of a piece is known only once it is rendered.
        let view = View { max_frames: PREVIEW_FRAMES_MAX, ..how.view.clone() };
        let everything = Composition { tokens_max: None, view, ..how.clone() };
        let composed = self.context.checked(None).await.compose(&node, &everything).await?;
        Ok(preview(composed, &how))
    }

    /// Returns a page of the entries of a directory, with the state of the frames at and below each.
    pub async fn level(&self, query: &LevelQuery) -> Result<TreeLevel, Error> {
        self.agent.check(Right::Read)?;
        self.context.level(query).await
    }

    /// Puts a frame on a node as it is now.
    pub async fn put_frame(&self, request: &PutFrame) -> Result<Appended, Error> {
        self.agent.check(Right::Append)?;
        let metadata = request.metadata()?.and(&self.metadata)?;
        let node = self.context.location.node(&request.node)?;
        // The frame is bound to the files as they are now, so they are scanned first.
        self.context.catch_up().await?;
        self.context.put_frame(&self.agent.id, &node, request, &metadata).await
    }

    /// Makes the frame of a directory from those of its entries.
    pub async fn synthesize(&self, request: &SynthesizeFrames) -> Result<Synthesized, Error> {
        self.agent.check(Right::Synthesize)?;
        let node = self.context.location.node(&request.node)?;
        let request = request.request()?;
        self.context.catch_up().await?;
        self.context.synthesize(&self.agent.id, &node, &request, &self.metadata).await
    }

    /// Makes the frame of a directory with a policy that may be registered by the program.
    pub async fn synthesize_with(
        &self,
        node: &NodeRef,
        request: &SynthesizeRequest,
    ) -> Result<Synthesized, Error> {
        self.agent.check(Right::Synthesize)?;
        self.context.catch_up().await?;
        self.context.synthesize(&self.agent.id, node, request, &self.metadata).await
    }

    /// Regenerates the frames whose basis changed, and lists those that stay stale.
    pub async fn regenerate(&self, request: &RegenerateFrames) -> Result<Regenerated, Error> {
        self.agent.check(Right::Synthesize)?;
        self.context.catch_up().await?;
        let path = match &request.node {
            Some(node) => self.context.path_of(&self.context.location.node(node)?).await?,
            None => TreePath::root(),
        };
        self.context.regenerate(&self.agent.id, &request.at(path)?, &self.metadata).await
    }

    /// Copies the newest frames of a path, which may be gone, to another file or directory.
    pub async fn adopt(&self, from: &str, to: &str) -> Result<Vec<Adopted>, Error> {
        self.agent.check(Right::Append)?;
        let location = &self.context.location;
        let (from, to) = (location.path(from)?, location.path(to)?);
        self.context.catch_up().await?;
        let metadata = self.metadata.clone().with("adopted_by", self.agent.id.as_str());
        self.context.adopt(&from, &to, &metadata).await
    }

    /// Marks the newest frame of a type to be regenerated, and returns it with its path.
    pub async fn invalidate(
        &self,
        node: &str,
        frame_type: &FrameType,
        reason: &str,
    ) -> Result<(TreePath, FrameHead), Error> {
        self.agent.check(Right::Append)?;
        let node = self.context.location.node(node)?;
        self.context.invalidate(&self.agent.id, &node, frame_type, reason).await
    }

    /// Returns a node of the current tree, as it was recorded, with the frames that a view selects.
    pub async fn read_context(&self, node: &NodeRef, view: &View) -> Result<NodeContext, Error> {
        self.agent.check(Right::Read)?;
        self.context.get_node_in(&RootRef::Current, node, view).await
    }

    /// Composes frames of a node of the current tree and its surroundings, as they were recorded.
    pub async fn compose(&self, node: &NodeRef, how: &Composition) -> Result<Composed, Error> {
        self.agent.check(Right::Read)?;
        self.context.compose(node, how).await
    }

    /// Returns the heads at a path: ids and descriptions, never contents.
    pub async fn heads(&self, path: &TreePath) -> Result<Vec<FrameHead>, Error> {
        self.agent.check(Right::Read)?;
        self.context.heads(path).await
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
        let ModelAnswer { prompt, given, attempt, content, metadata } = answer;
        if given.len() > GIVEN_MAX {
            let count = given.len();
            return Err(Error::Invalid(format!(
                "the model was given {count} pieces; at most {GIVEN_MAX}"
            )));
        }
        let root = self.context.current().await?.root;
        let node = self.context.node(root, node).await?;
        let draft = FrameDraft {
            path: node.path,
            node_id: node.id,
            frame_type: frame_type.clone(),
            agent_id: self.agent.id.clone(),
            basis: Basis::Generated { prompt, given, attempt },
            content,
            metadata: metadata.and(&self.metadata)?,
        };
        self.context.append(&draft, &Precondition::default()).await
    }

    /// Returns the metadata of every frame that it makes.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}
