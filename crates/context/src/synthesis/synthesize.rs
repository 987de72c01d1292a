//! Synthesises a directory, or a whole subtree from the bottom up, from the heads of direct entries.
//!
//! *Invariants*: a directory gets a frame only if something in it has a frame to make it from, or if it is empty and
//! has none yet. No text is therefore ever replaced by an empty one.

use piton_store::bounds::TABLE_GET_MAX;
use piton_store::port::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::Selection;
use super::{Inputs, PolicyInput, PolicyName, PolicySpec};
use crate::bounds::{SKIPPED_NAMED_MAX, SUMMARY_BYTES_MIN, SYNTHESIS_FRAMES_MAX};
use crate::frame::{
    AppendOutcome, Appended, Basis, Frame, FrameDraft, FrameHead, Metadata, NextAppend, Policy,
    Precondition,
};
use crate::history::{NodeRef, RootEntry};
use crate::rows::{NodeBody, RowKind};
use crate::tree::{NodeKind, TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

piton_core::closed_set! {
    /// What to do when directories below lack the frame.
    pub enum Missing {
        /// Refuse, and name them.
        Refuse => "refuse",
        /// Synthesise them first.
        Synthesize => "synthesize",
        /// Continue without them.
        Skip => "skip",
    }
}

/// Makes the frame of a directory from those of its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SynthesizeFrames {
    /// The directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// The type of the new frame.
    pub frame_type: FrameType,
    /// The type of the frames that it is made from, or `*` for all; the type of the new frame if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// How; `concatenation` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyName>,
    /// With `summarization`: the most bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// With `filtering`: only these types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<FrameType>,
    /// With `filtering`: only these agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// With `filtering`: the most frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_frames: Option<u64>,
    /// Whether every directory below is done first.
    #[serde(default)]
    pub recursive: bool,
    /// What to do about directories below that lack the frame; `refuse` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

/// Parameters of a synthesis.
#[derive(Clone, Debug)]
pub struct SynthesizeRequest {
    /// Type of the new frames.
    pub frame_type: FrameType,
    /// Frames of the entries that are used.
    pub inputs: Inputs,
    pub policy: PolicySpec,
    /// Set to synthesise every directory below as well, before those above.
    pub recursive: bool,
    /// Treatment of directories below that lack the frame, if it is not recursive.
    pub missing: Missing,
}

/// Result of a synthesis. It has at least one frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Synthesized {
    /// The frames, in the order in which they were made: entries before the directories that hold them.
    pub frames: Vec<SynthesizedFrame>,
    /// Directories that stay unchanged because nothing in them has a frame to make theirs from, sorted by path.
    pub skipped: Vec<TreePath>,
}

/// A frame that was made at a path, or already existed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SynthesizedFrame {
    pub path: TreePath,
    #[serde(flatten)]
    pub appended: Appended,
}

impl SynthesizeFrames {
    /// Returns the parameters. Refuses options of another policy.
    pub(crate) fn request(&self) -> Result<SynthesizeRequest, Error> {
        let inputs = match &self.inputs {
            Some(inputs) => inputs.parse()?,
            None => Inputs::Type(self.frame_type.clone()),
        };
        Ok(SynthesizeRequest {
            frame_type: self.frame_type.clone(),
            inputs,
            policy: self.policy()?,
            recursive: self.recursive,
            missing: self.missing.unwrap_or(Missing::Refuse),
        })
    }

    fn policy(&self) -> Result<PolicySpec, Error> {
        let policy = self.policy.unwrap_or(PolicyName::Concatenation);
        let filters =
            !self.types.is_empty() || !self.agents.is_empty() || self.max_frames.is_some();
        if filters && policy != PolicyName::Filtering {
            return Err(Error::Invalid(format!(
                "types, agents and a number of frames are for the policy filtering, not for {policy}"
            )));
        }
        if self.max_bytes.is_some() && policy != PolicyName::Summarization {
            return Err(Error::Invalid(format!(
                "a number of bytes is for the policy summarization, not for {policy}"
            )));
        }
        if let Some(bytes) = self.max_bytes.filter(|bytes| *bytes < SUMMARY_BYTES_MIN) {
            return Err(Error::Invalid(format!(
                "a summary of {bytes} bytes says nothing; allow at least {SUMMARY_BYTES_MIN}"
            )));
        }
        Ok(match policy {
            PolicyName::Concatenation => PolicySpec::Concatenation,
            PolicyName::Summarization => PolicySpec::Summarization { bytes_max: self.max_bytes },
            PolicyName::Filtering => PolicySpec::Filtering {
                types: self.types.clone(),
                agents: self.agents.clone(),
                frames_max: self.max_frames,
            },
        })
    }
}

impl Synthesized {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let line = |made: &SynthesizedFrame| {
            format!("{}: {} ({})", made.path, made.appended.frame, made.appended.outcome)
        };
        let mut lines: Vec<String> = self.frames.iter().map(line).collect();
        if !self.skipped.is_empty() {
            let stay = match self.skipped.len() {
                1 => "1 directory stays as it is: nothing in it has a frame to make one from"
                    .to_owned(),
                count => format!(
                    "{count} directories stay as they are: nothing in them has a frame to make one from"
                ),
            };
            let named: Vec<String> =
                self.skipped.iter().take(SKIPPED_NAMED_MAX).map(ToString::to_string).collect();
            let more = match self.skipped.len() - named.len() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            lines.push(format!("{stay} ({}{more}).", named.join(", ")));
        }
        lines.join("\n")
    }
}

impl Context {
    /// Makes the frame of a directory from the frames of its entries.
    pub(crate) async fn synthesize(
        &self,
        agent: &AgentId,
        asked: &NodeRef,
        request: &SynthesizeRequest,
        said: &Metadata,
    ) -> Result<Synthesized, Error> {
        let version = self.registry.version(request.policy.name()).ok_or_else(|| {
            Error::Invalid(format!("there is no policy called {}", request.policy.name()))
        })?;
        let policy = request.policy.pinned(&request.inputs, version);
        let root = self.current().await?.root;
        let node = self.node(root, asked).await?;
        if node.kind != NodeKind::Directory {
            let path = node.path;
            return Err(Error::Invalid(format!(
                "{path} is a {}; only directories are synthesised",
                node.kind
            )));
        }
        let wanted =
            SynthesisSpec { agent, frame_type: &request.frame_type, policy: &policy, said };
        let all = self.directories_below(node.id, &node.path).await?;
        let below = if request.recursive {
            all
        } else {
            self.lacking(root, &node.path, &all, &wanted, request).await?
        };
        let (mut frames, mut skipped) = (Vec::new(), Vec::new());
        // `below` lists parents first, so reversed order does the deepest directories first.
        for path in below.into_iter().rev().chain([node.path.clone()]) {
            match self.synthesize_one(&path, &wanted).await? {
                Some(appended) => frames.push(SynthesizedFrame { path, appended }),
                None => skipped.push(path),
            }
        }
        if frames.is_empty() {
            let frame_type = match &request.inputs {
                Inputs::All => None,
                Inputs::Type(frame_type) => Some(frame_type.clone()),
            };
            return Err(Error::NothingDescribed { path: node.path, frame_type });
        }
        skipped.sort_unstable();
        Ok(Synthesized { frames, skipped })
    }

    /// Returns the directories that must be synthesised first. Directories without anything to be made from are not
    /// among them.
    async fn lacking(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        all: &[TreePath],
        wanted: &SynthesisSpec<'_>,
        request: &SynthesizeRequest,
    ) -> Result<Vec<TreePath>, Error> {
        // Only a synthesis over frames of its own type needs the frames of the directories below.
        let uses_own = match &request.inputs {
            Inputs::All => true,
            Inputs::Type(inputs) => inputs == wanted.frame_type,
        };
        if !uses_own || request.missing == Missing::Skip {
            return Ok(Vec::new());
        }
        let mut lacking = Vec::new();
        for below in all {
            let direct = below.parent().as_ref() == Some(path);
            let looked_at = direct || request.missing == Missing::Synthesize;
            if looked_at
                && self.head(below, wanted.frame_type).await?.is_none()
                && self.is_described(root, below, wanted.policy).await?
            {
                lacking.push(below.clone());
            }
        }
        if request.missing == Missing::Refuse && !lacking.is_empty() {
            return Err(Error::Incomplete {
                path: path.clone(),
                frame_type: wanted.frame_type.clone(),
                count: lacking.len(),
                first: lacking.swap_remove(0),
            });
        }
        Ok(lacking)
    }

    /// True if anything below a directory has a frame that a policy uses.
    async fn is_described(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        policy: &Policy,
    ) -> Result<bool, Error> {
        let selection = Selection::of(policy)?;
        for (path, head) in self.heads_within(path).await? {
            // The frames of a file that is gone stay at its path.
            if selection.takes(&head) && self.id_at(root, &path).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns every directory below `id`, each before those that it holds.
    async fn directories_below(
        &self,
        id: TreeNodeId,
        path: &TreePath,
    ) -> Result<Vec<TreePath>, Error> {
        let mut found = Vec::new();
        let mut waiting = vec![(id, path.clone())];
        while let Some((id, path)) = waiting.pop() {
            let children = self.children(id).await?;
            for child in children.into_iter().rev() {
                if child.kind == NodeKind::Directory {
                    waiting.push((child.id, path.join(&child.name)));
                }
            }
            found.push(path);
        }
        found.remove(0);
        Ok(found)
    }

    /// Makes the frame of one directory, unless there is nothing to make it from.
    pub(super) fn synthesize_one<'a>(
        &'a self,
        path: &'a TreePath,
        wanted: &'a SynthesisSpec<'_>,
    ) -> BoxFuture<'a, Result<Option<Appended>, Error>> {
        Box::pin(async move {
            for _ in 0..crate::bounds::TRIES_MAX {
                match self.try_synthesize_one(path, wanted).await {
                    Err(error) if error.is_conflict() => {}
                    Ok(Some(appended)) if appended.outcome == AppendOutcome::Unchanged => {
                        let was_marked = self.clear_marks(path, wanted.frame_type).await?;
                        let outcome = if was_marked {
                            AppendOutcome::Reaffirmed
                        } else {
                            AppendOutcome::Unchanged
                        };
                        return Ok(Some(Appended { outcome, ..appended }));
                    }
                    outcome => return outcome,
                }
            }
            Err(Error::too_many(format!("the frames below {path} changed again and again")))
        })
    }

    async fn try_synthesize_one(
        &self,
        path: &TreePath,
        wanted: &SynthesisSpec<'_>,
    ) -> Result<Option<Appended>, Error> {
        // Read the preconditions first: nothing that is read after this may change before the frame is recorded.
        let sequence = self.row(&self.keys.only(RowKind::Sequence)).await?;
        let (current, RootEntry { root, .. }) = self.current_row().await?;
        let heads = self.gather(root, path, wanted.policy).await?;
        let node_id = self.id_at(root, path).await?.map(|(id, _)| id);
        let (Some(heads), Some(node_id)) = (heads, node_id) else {
            return Err(Error::NodeNotFound { asked: path.to_string(), nearest: None });
        };
        debug_assert!(heads.len() <= SYNTHESIS_FRAMES_MAX);
        let frames = heads.iter().map(|(_, head)| head.frame).collect();
        let basis = Basis::synthesis(frames, wanted.policy.clone());
        let mut draft = FrameDraft {
            path: path.clone(),
            node_id,
            frame_type: wanted.frame_type.clone(),
            agent_id: wanted.agent.clone(),
            basis,
            content: Vec::new(),
            metadata: wanted.said.clone(),
        };
        let id = draft.id();
        let head = self.head(path, wanted.frame_type).await?;
        // The basis is known before the content is rendered, so an unchanged frame costs no rendering.
        let is_there = head.as_ref().is_some_and(|head| head.frame == id);
        let is_text_lost = head.is_some() && !is_there;
        // An empty synthesis is recorded only for an empty directory that has no text yet.
        if heads.is_empty() && (is_text_lost || !self.children(node_id).await?.is_empty()) {
            return Ok(None);
        }
        if is_there {
            return Ok(Some(Appended { frame: id, outcome: AppendOutcome::Unchanged }));
        }
        let pieces = self.pieces(&heads).await?;
        draft.content = self.registry.render(wanted.policy, &pieces)?;
        let after = Precondition { current: Some(current), sequence: Some(NextAppend(sequence)) };
        self.append(&draft, &after).await.map(Some)
    }
}

/// Parameters of a synthesis, the same for every directory of a call.
pub(super) struct SynthesisSpec<'a> {
    pub(super) agent: &'a AgentId,
    pub(super) frame_type: &'a FrameType,
    pub(super) policy: &'a Policy,
    /// Metadata of the new frames.
    pub(super) said: &'a Metadata,
}

impl Context {
    /// Returns the heads that a policy uses at a directory, sorted by the names of the entries and then by frame id.
    /// Returns `None` if there is no directory at `path`.
    pub(crate) async fn gather(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        policy: &Policy,
    ) -> Result<Option<Vec<(TreePath, FrameHead)>>, Error> {
        let selection = Selection::of(policy)?;
        let Some((id, _)) = self.id_at(root, path).await? else {
            return Ok(None);
        };
        let Some((_, NodeBody::Directory { children, .. })) = self.body(id).await? else {
            return Ok(None);
        };
        let paths: Vec<TreePath> = children.iter().map(|child| path.join(&child.name)).collect();
        let mut found = Vec::new();
        if let Ok(only) = selection.inputs.parse::<FrameType>() {
            // There is one head per type and path, so many can be read at a time.
            for paths in paths.chunks(TABLE_GET_MAX) {
                let keys = paths.iter().map(|path| self.keys.typed(RowKind::Head, path, &only));
                let rows = self.ports.table.get_all(keys.collect()).await?;
                for (path, row) in paths.iter().zip(rows) {
                    let head = row.map(|row| FrameHead::decode(&row.value)).transpose()?;
                    found.extend(
                        head.filter(|head| selection.takes(head)).map(|head| (path.clone(), head)),
                    );
                }
            }
        } else {
            for path in paths {
                let mut heads = self.heads(&path).await?;
                heads.retain(|head| selection.takes(head));
                heads.sort_unstable_by_key(|head| head.frame);
                found.extend(heads.into_iter().map(|head| (path.clone(), head)));
            }
        }
        if let Some(max) = selection.frames_max {
            found.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        }
        if found.len() > SYNTHESIS_FRAMES_MAX {
            return Err(Error::Invalid(format!(
                "{path} has {} frames to be put together; at most {SYNTHESIS_FRAMES_MAX}. Use the filtering policy.",
                found.len()
            )));
        }
        Ok(Some(found))
    }

    /// Returns the frames of heads with their contents.
    pub(super) async fn pieces(
        &self,
        heads: &[(TreePath, FrameHead)],
    ) -> Result<Vec<PolicyInput>, Error> {
        let mut pieces = Vec::with_capacity(heads.len());
        for heads in heads.chunks(TABLE_GET_MAX) {
            for (frame, inline) in self.records_at(heads).await? {
                let content = self.content_from(&frame, inline).await?;
                let Frame { path, frame_type, agent_id, .. } = frame;
                pieces.push(PolicyInput { path, frame_type, agent_id, content });
            }
        }
        Ok(pieces)
    }
}
