//! The use cases of one agent in a project's context.

use std::collections::BTreeMap;

use piton_context::agent::{AgentAdapter, ContextAgent};
use piton_context::batch::{BatchLine, batch};
use piton_context::frame::{Appended, FrameHead, FrameId, Metadata, NewFrame};
use piton_context::history::{NodeRef, RootRef};
use piton_context::read::View;
use piton_context::synthesis::RegenerateScope;
use piton_context::tree::TreePath;
use piton_context::word::{AgentId, FrameType};
use piton_context::{Error, bounds};
use piton_core::{Envelope, Provenance};
use piton_store::port::Patience;

use super::project::Frames;
use super::reply::{
    AdoptedFrames, ComposedContext, FrameMade, FramesMade, NodeShown, PutFrameReply, Regenerated,
    RegeneratedFrame, SkippedFrame,
};
use super::request::{ComposeContext, GetContext, PutFrame, RegenerateFrames, SynthesizeFrames};

/// The tree that is read unless another one is named.
pub const CURRENT_TREE: RootRef = RootRef::Current;

/// Fails at once if another process is regenerating.
pub const NO_WAIT: Patience = Patience::FailFast;

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

/// The use cases of one agent.
#[derive(Clone)]
pub struct AgentContext {
    pub(super) frames: Frames,
    pub(super) adapter: AgentAdapter,
}

impl std::fmt::Debug for AgentContext {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "AgentContext({})", self.adapter.agent().id)
    }
}

impl AgentContext {
    pub(super) fn new(frames: Frames, agent: &AgentId) -> Result<Self, Envelope> {
        let known = frames.settings.known();
        let adapter = AgentAdapter::new(frames.context.clone(), &known, agent);
        Ok(Self { adapter: adapter.map_err(|error| error.envelope())?, frames })
    }

    /// Returns the acting agent.
    pub fn agent(&self) -> &ContextAgent {
        self.adapter.agent()
    }

    /// Returns the same use cases at a step of a run. The step is recorded in the metadata of every new frame.
    #[must_use]
    pub fn at_step(mut self, step: Option<&Provenance>) -> Self {
        if let Some(Provenance { session, run, node, step }) = step {
            let entries = [
                ("session", session.to_string()),
                ("run", run.to_string()),
                ("node", node.to_string()),
                ("step", piton_core::truncate(step, bounds::METADATA_VALUE_BYTES_MAX).into()),
            ];
            let entries = entries.map(|(key, value)| (key.to_owned(), value));
            let said = Metadata::new(entries.into()).expect("four short texts are metadata");
            self.adapter = self.adapter.with_metadata(said);
        }
        self
    }

    /// Returns a file or directory with its frames.
    pub async fn get_context(
        &self,
        request: &GetContext,
        tree: &RootRef,
    ) -> Result<NodeShown, Envelope> {
        let found = async {
            let node = self.node(&request.node)?;
            // Only the current tree can be out of date. A past tree is judged as it was recorded.
            let about = (*tree == RootRef::Current).then_some(&node);
            let adapter = self.adapter.refreshed(&mut self.frames.scanner(), about).await;
            adapter.read_context_in(tree, &node, &request.view()).await
        };
        found.await.map(NodeShown::from).map_err(|error| error.envelope())
    }

    /// Combines the frames of a node and its surroundings into one text.
    pub async fn compose_context(
        &self,
        request: &ComposeContext,
    ) -> Result<ComposedContext, Envelope> {
        let composed = async {
            let how = request.composition(&self.frames.place)?;
            let node = self.node(&request.node)?;
            // The directory and everything in it count, so refreshing a few files would not be enough.
            let adapter = self.adapter.refreshed(&mut self.frames.scanner(), None).await;
            adapter.compose(&node, &how).await
        };
        let composed = composed.await.map_err(|error: Error| error.envelope())?;
        Ok(ComposedContext::new(composed, request.tokens_max()))
    }

    /// Puts a frame on a node as it is now.
    pub async fn put_frame(
        &self,
        request: PutFrame,
        metadata: BTreeMap<String, String>,
    ) -> Result<PutFrameReply, Envelope> {
        self.put(request, metadata).await.map(PutFrameReply::from).map_err(|error| error.envelope())
    }

    async fn put(
        &self,
        request: PutFrame,
        metadata: BTreeMap<String, String>,
    ) -> Result<Appended, Error> {
        self.agent().check(piton_context::agent::Right::Append)?;
        // These keys are evidence of who made a frame and when. A caller must not be able to forge them.
        if let Some(key) = metadata.keys().find(|key| RESERVED.contains(&key.as_str())) {
            return Err(Error::Invalid(format!(
                "the metadata `{key}` is written by Piton itself; use another name"
            )));
        }
        let node = self.node(&request.node)?;
        // The frame is bound to the files as they are now, so they are scanned first.
        self.frames.refresh().await?;
        let mut frame = NewFrame::new(request.frame_type, request.content);
        frame.metadata = Metadata::new(metadata)?;
        self.adapter.write_context(&node, frame, request.allow_stale).await
    }

    /// Makes the frame of a directory from those of its entries.
    pub async fn synthesize(&self, request: &SynthesizeFrames) -> Result<FramesMade, Envelope> {
        self.synthesized(request).await.map_err(|error| error.envelope())
    }

    async fn synthesized(&self, request: &SynthesizeFrames) -> Result<FramesMade, Error> {
        self.agent().check(piton_context::agent::Right::Synthesize)?;
        let (node, wanted) = (self.node(&request.node)?, request.request()?);
        self.frames.refresh().await?;
        let made = self.adapter.synthesize(&node, &wanted).await?;
        let line = |(path, appended): (TreePath, Appended)| FrameMade {
            path: path.to_string(),
            frame: appended.frame.to_string(),
            outcome: appended.outcome,
        };
        Ok(FramesMade {
            frames: made.frames.into_iter().map(line).collect(),
            skipped: made.skipped.iter().map(ToString::to_string).collect(),
        })
    }

    /// Regenerates frames whose basis changed, and lists those that stay stale.
    pub async fn regenerate(
        &self,
        request: &RegenerateFrames,
        patience: Patience,
    ) -> Result<Regenerated, Envelope> {
        self.regenerated(request, patience, true).await.map_err(|error| error.envelope())
    }

    /// Regenerates without listing stale frames, so that the cost is proportional to the changes.
    pub(super) async fn regenerate_changed(
        &self,
        request: &RegenerateFrames,
        patience: Patience,
    ) -> Result<Regenerated, Envelope> {
        self.regenerated(request, patience, false).await.map_err(|error| error.envelope())
    }

    async fn regenerated(
        &self,
        request: &RegenerateFrames,
        patience: Patience,
        names_stale: bool,
    ) -> Result<Regenerated, Error> {
        self.agent().check(piton_context::agent::Right::Synthesize)?;
        self.frames.refresh().await?;
        let path = match &request.node {
            Some(node) => self.path_of(&self.node(node)?).await?,
            None => TreePath::root(),
        };
        let scope = RegenerateScope { patience, names_stale, ..request.scope(path)? };
        let done = self.adapter.regenerate(&scope).await?;
        let line = |(path, frame): &(TreePath, FrameId)| RegeneratedFrame {
            path: path.to_string(),
            frame: frame.to_string(),
        };
        Ok(Regenerated {
            made: done.made.iter().map(line).collect(),
            reaffirmed: done.reaffirmed.iter().map(line).collect(),
            skipped: done.skipped.iter().map(SkippedFrame::from).collect(),
            skipped_left_out: 0,
            examined: done.examined,
        })
    }

    /// Copies the newest frames of a path, which may no longer exist, to another file or directory.
    pub async fn adopt(&self, from: &str, to: &str) -> Result<AdoptedFrames, Envelope> {
        let done = async {
            self.agent().check(piton_context::agent::Right::Append)?;
            let (from, to) = (self.frames.place.path(from)?, self.frames.place.path(to)?);
            self.frames.refresh().await?;
            self.adapter.adopt(&from, &to).await
        };
        let frames = done.await.map_err(|error: Error| error.envelope())?;
        Ok(AdoptedFrames { frames })
    }

    /// Marks the newest frame of a type for regeneration, and returns it with its path.
    pub async fn invalidate(
        &self,
        node: &str,
        frame_type: &FrameType,
        reason: &str,
    ) -> Result<(TreePath, FrameHead), Envelope> {
        let done = async { self.adapter.invalidate(&self.node(node)?, frame_type, reason).await };
        done.await.map_err(|error: Error| error.envelope())
    }

    /// Runs a text of operations, one per line.
    pub async fn batch(&self, text: &str) -> Result<Vec<BatchLine>, Envelope> {
        let done = async {
            self.agent().check(piton_context::agent::Right::Append)?;
            self.frames.refresh().await?;
            batch(&self.adapter, text).await
        };
        done.await.map_err(|error: Error| error.envelope())
    }

    pub(super) fn node(&self, text: &str) -> Result<NodeRef, Error> {
        self.frames.place.node(text)
    }

    pub(super) async fn path_of(&self, node: &NodeRef) -> Result<TreePath, Error> {
        let nothing = View { max_frames: 0, ..View::default() };
        Ok(self.adapter.read_context(node, &nothing).await?.node.path)
    }
}

impl From<Appended> for PutFrameReply {
    fn from(appended: Appended) -> Self {
        Self { frame: appended.frame.to_string(), outcome: appended.outcome }
    }
}
