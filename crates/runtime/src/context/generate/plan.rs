//! The nodes to process, deepest first, and the maximum cost.

use std::collections::BTreeSet;

use piton_context::Error;
use piton_context::agent::{AgentContext, Right};
use piton_context::frame::{BasisInputs, BasisKind, Frame};
use piton_context::history::{NodeRecord, NodeRef};
use piton_context::read::{View, tokens};
use piton_context::tree::{NodeKind, TreePath};
use piton_core::{Code, Envelope};
use serde::Serialize;

use super::generate_frames::{Fate, GenerateFrames, GeneratedFrame};
use super::question::prompt_digest;
use crate::bounds::GENERATE_NODES_MAX;
use crate::config::section::AgentEntry;
use crate::context::ContextSettings;

/// The maximum cost of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Number of calls to a model.
    pub calls: u64,
    /// Number of tokens sent, estimated at four bytes each.
    pub input_tokens: u64,
    /// Number of tokens in the answers, if each is as long as it may be.
    pub output_tokens_max: u64,
    /// Number of frames that already exist.
    pub existing: u64,
}

/// The nodes to process, by depth, deepest first.
#[derive(Debug)]
pub struct Plan {
    pub(super) levels: Vec<Vec<TreePath>>,
    pub(super) prompt: String,
    pub(super) related: Vec<TreePath>,
    /// The maximum cost.
    pub estimate: Estimate,
}

impl Plan {
    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.levels.iter().map(Vec::len).sum()
    }
}

/// Lets models write frames as an agent.
#[derive(Clone, Copy, Debug)]
pub struct Generator<'a> {
    pub(super) agent: &'a AgentContext,
    /// The configuration of the agent; `None` for the person.
    pub(super) settings: Option<&'a AgentEntry>,
    pub(super) request: &'a GenerateFrames,
}

impl<'a> Generator<'a> {
    /// Creates the generator for a request of an agent.
    pub fn new(
        settings: &'a ContextSettings,
        agent: &'a AgentContext,
        request: &'a GenerateFrames,
    ) -> Self {
        Self { agent, settings: settings.agent(&agent.agent().id), request }
    }

    /// Determines the work to be done. Asks no model, and writes nothing but the current tree.
    pub async fn plan(&self) -> Result<Plan, Envelope> {
        let prompt = self.prompt()?;
        self.agent.agent().check(Right::Append)?;
        let (request, context) = (self.request, self.agent.context());
        context.catch_up().await?;
        let related: Result<Vec<TreePath>, Error> =
            request.related.iter().map(|path| context.location().path(path)).collect();
        let top = self.record(&context.location().node(&request.node)?).await?;
        let mut plan =
            Plan { levels: Vec::new(), prompt, related: related?, estimate: Estimate::default() };
        // Directories with a new frame below them. Their own frames are regenerated as well.
        let mut dirty = BTreeSet::new();
        let mut nodes = vec![top];
        if request.recursive {
            nodes = self.below(nodes.remove(0)).await?;
        }
        // Deepest first, then by path: a directory comes after everything in it, and the order is always the same.
        nodes.sort_by(|one, other| {
            (other.path.depth(), &one.path).cmp(&(one.path.depth(), &other.path))
        });
        let mut depth = None;
        for node in nodes {
            self.estimate(&node, &mut plan, &mut dirty).await?;
            if depth != Some(node.path.depth()) {
                depth = Some(node.path.depth());
                plan.levels.push(Vec::new());
            }
            plan.levels.last_mut().expect("one was just made").push(node.path);
        }
        Ok(plan)
    }

    /// Returns the prompt.
    fn prompt(&self) -> Result<String, Envelope> {
        let own = || self.settings?.prompt.clone();
        self.request.prompt.clone().or_else(own).ok_or_else(|| {
            let agent = &self.agent.agent().id;
            let message = format!("Nothing says what a model is asked for: {agent} has no prompt.");
            Envelope::new(Code::ValidationError, message).with_suggestion(
                "Say it with --prompt, or give the agent a prompt in [[context.agents]].",
            )
        })
    }

    async fn estimate(
        &self,
        node: &NodeRecord,
        plan: &mut Plan,
        dirty: &mut BTreeSet<TreePath>,
    ) -> Result<(), Error> {
        let request = self.request;
        // Links are listed with their directory, but nothing is written about them.
        if node.kind == NodeKind::Symlink {
            return Ok(());
        }
        let is_dirty = dirty.contains(&node.path);
        let prompt_tokens = tokens(plan.prompt.len()) as u64;
        let sent = match node.kind {
            // An upper bound for a question that cannot be built yet: the file, or a full answer for each entry.
            NodeKind::File => tokens(usize::try_from(node.size).unwrap_or(usize::MAX)) as u64,
            _ => node.children.len() as u64 * u64::from(request.answer_tokens_max),
        };
        if self.kept(&node.path).await?.is_some() {
            plan.estimate.existing += 1;
            return Ok(());
        }
        // Otherwise the inputs are not known yet: they include answers that do not exist. The cost is then estimated
        // from sizes.
        if !request.force && !is_dirty {
            let asked = self.question(node, plan).await?;
            // Nodes without text are not asked about.
            let Ok(question) = asked else { return Ok(()) };
            if self.latest(&node.path, &question.given, &plan.prompt).await?.1.is_some() {
                plan.estimate.existing += 1;
                return Ok(());
            }
            plan.estimate.input_tokens += question.tokens() as u64;
        } else {
            plan.estimate.input_tokens += prompt_tokens + sent;
        }
        plan.estimate.calls += 1;
        plan.estimate.output_tokens_max += u64::from(request.answer_tokens_max);
        // A new frame here changes the inputs of the directory above.
        dirty.extend(node.path.parent());
        Ok(())
    }

    /// Returns a frame of the type that stays because it was not generated. Applies only when a whole tree is filled.
    pub(super) async fn kept(&self, path: &TreePath) -> Result<Option<GeneratedFrame>, Error> {
        let request = self.request;
        if !request.recursive || request.force {
            return Ok(None);
        }
        let view = View {
            types: vec![request.frame_type.clone()],
            heads_only: true,
            contents: false,
            ..View::default()
        };
        let found = self.agent.read_context(&NodeRef::from(path), &view).await?;
        let head = found.frames.first();
        let head = head.filter(|head| head.basis.kind() != BasisKind::Generated);
        Ok(head.map(|head| {
            let (made, by) = (head.basis.kind(), &head.agent);
            let kept = GeneratedFrame::without(path, Fate::Kept, format!("{made} by {by}"));
            GeneratedFrame { frame: Some(head.id), ..kept }
        }))
    }

    /// Returns the number of answers to a question, and the frame of the last one.
    pub(super) async fn latest(
        &self,
        path: &TreePath,
        given: &[BasisInputs],
        prompt: &str,
    ) -> Result<(u64, Option<Frame>), Error> {
        let frame_type = &self.request.frame_type;
        let prompt = prompt_digest(prompt);
        // Answers to one question are numbered from one without gaps, so the first number without a frame ends the
        // search.
        let (mut attempts, mut latest) = (0, None);
        loop {
            let next = attempts + 1;
            match self.agent.generated(path, frame_type, prompt, given, next).await? {
                Some(frame) => (attempts, latest) = (next, Some(frame)),
                None => break,
            }
        }
        // An answer that was marked as wrong is requested again.
        if latest.is_some() && self.agent.is_invalidated(path, frame_type).await? {
            latest = None;
        }
        Ok((attempts, latest))
    }

    pub(super) async fn record(&self, node: &NodeRef) -> Result<NodeRecord, Error> {
        let nothing = View { max_frames: 0, ..View::default() };
        Ok(self.agent.read_context(node, &nothing).await?.node)
    }

    /// Returns a node and everything below it.
    async fn below(&self, top: NodeRecord) -> Result<Vec<NodeRecord>, Error> {
        let (mut found, mut waiting) = (Vec::new(), vec![top]);
        while let Some(node) = waiting.pop() {
            for child in &node.children {
                waiting.push(self.record(&NodeRef::from(&node.path.join(&child.name))).await?);
            }
            found.push(node);
            if found.len() + waiting.len() > GENERATE_NODES_MAX {
                return Err(Error::Invalid(format!(
                    "there are more than {GENERATE_NODES_MAX} files and directories; take a part of them"
                )));
            }
        }
        Ok(found)
    }
}
