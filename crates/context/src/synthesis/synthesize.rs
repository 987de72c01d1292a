//! Synthesises a directory, or a whole subtree from the bottom up, from the heads of direct entries.
//!
//! *Invariants*: a directory gets a frame only if something in it has a frame to make it from, or if it is empty and
//! has none yet. No text is therefore ever replaced by an empty one.

use piton_store::bounds::TABLE_GET_MAX;
use serde::Serialize;

use super::policy::Selection;
use super::{Inputs, PolicyInput, PolicySpec};
use crate::bounds::SYNTHESIS_FRAMES_MAX;
use crate::frame::{
    AppendOutcome, Appended, Basis, Frame, FrameDraft, FrameHead, Metadata, NextAppend, Policy,
    Precondition,
};
use crate::history::{NodeRef, RootEntry};
use crate::rows::NodeBody;
use crate::rows::keys::RowKind;
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
        /// Go on without them.
        Skip => "skip",
    }
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Synthesized {
    /// The frames, in the order in which they were made: entries before the directories that hold them.
    pub frames: Vec<(TreePath, Appended)>,
    /// Directories that stay unchanged because nothing in them has a frame to make theirs from, sorted by path.
    pub skipped: Vec<TreePath>,
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
                Some(appended) => frames.push((path, appended)),
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
    pub(super) async fn synthesize_one(
        &self,
        path: &TreePath,
        wanted: &SynthesisSpec<'_>,
    ) -> Result<Option<Appended>, Error> {
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
    }

    async fn try_synthesize_one(
        &self,
        path: &TreePath,
        wanted: &SynthesisSpec<'_>,
    ) -> Result<Option<Appended>, Error> {
        // Read the preconditions first: nothing that is read after this may change before the frame is recorded.
        let sequence = self.row(&self.keys.only(RowKind::Sequence)).await?;
        let current =
            self.row(&self.keys.only(RowKind::Current)).await?.ok_or(Error::NotScanned)?;
        let root = RootEntry::decode(&current.value)?.root;
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
            let key = |(path, head): &(TreePath, FrameHead)| {
                self.keys.numbered(RowKind::Frame, path, head.index)
            };
            let rows = self.ports.table.get_all(heads.iter().map(key).collect()).await?;
            for ((path, head), row) in heads.iter().zip(rows) {
                let row = row.ok_or_else(|| {
                    Error::integrity(format!("the frame {}", head.frame), "its row is missing")
                })?;
                let (frame, inline) = Frame::decode(&row.value)?;
                pieces.push(PolicyInput {
                    path: path.clone(),
                    frame_type: head.frame_type.clone(),
                    agent_id: head.agent_id.clone(),
                    content: self.content_from(&frame, inline).await?,
                });
            }
        }
        Ok(pieces)
    }
}
