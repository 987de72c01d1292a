//! Synthesising a directory, or a whole subtree from the bottom up.

use serde::Serialize;

use super::{Inputs, PolicySpec};
use crate::{
    Context, Error,
    bounds::SYNTHESIS_FRAMES_MAX,
    frame::{After, Appended, Basis, Draft, Metadata, NextAppend, Outcome, Policy},
    history::{NodeRef, RootEntry},
    stored::keys::Row,
    tree::{Kind, TreeNodeId, TreePath},
    word::{AgentId, FrameType},
};

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

/// What is to be made.
#[derive(Clone, Debug)]
pub struct SynthesizeRequest {
    /// The type of the new frames.
    pub frame_type: FrameType,
    /// Which frames of the entries are used.
    pub inputs: Inputs,
    /// How.
    pub policy: PolicySpec,
    /// Whether every directory below is done as well, before the ones above.
    pub recursive: bool,
    /// What to do about directories below that lack the frame, if it is not recursive.
    pub missing: Missing,
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Synthesized {
    /// The frame of the directory that was asked for.
    pub frame: Appended,
    /// The frames of the directories below, in the order in which they were made.
    pub below: Vec<(TreePath, Appended)>,
}

impl Context {
    /// Makes the frame of a directory from those of its entries.
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
        if node.kind != Kind::Directory {
            let path = node.path;
            return Err(Error::Invalid(format!(
                "{path} is a {}; only directories are synthesised",
                node.kind
            )));
        }
        let wanted = Wanted { agent, frame_type: &request.frame_type, policy: &policy, said };
        let all = self.directories_below(node.id, &node.path).await?;
        let below = if request.recursive {
            all
        } else {
            self.lacking(&node.path, &all, &wanted, request).await?
        };
        let mut made = Vec::new();
        for path in below.into_iter().rev() {
            let appended = self.synthesize_one(&path, &wanted).await?;
            made.push((path, appended));
        }
        let frame = self.synthesize_one(&node.path, &wanted).await?;
        Ok(Synthesized { frame, below: made })
    }

    /// The directories that have to be done first.
    async fn lacking(
        &self,
        path: &TreePath,
        all: &[TreePath],
        wanted: &Wanted<'_>,
        request: &SynthesizeRequest,
    ) -> Result<Vec<TreePath>, Error> {
        // Only a synthesis over frames of its own type needs those of the directories below.
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
            if looked_at && self.head(below, wanted.frame_type).await?.is_none() {
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

    /// Every directory below `id`; each before those that it holds.
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
                if child.kind == Kind::Directory {
                    waiting.push((child.id, path.join(&child.name)));
                }
            }
            found.push(path);
        }
        found.remove(0);
        Ok(found)
    }

    /// Makes the frame of one directory.
    pub(super) async fn synthesize_one(
        &self,
        path: &TreePath,
        wanted: &Wanted<'_>,
    ) -> Result<Appended, Error> {
        for _ in 0..crate::bounds::TRIES_MAX {
            match self.try_synthesize_one(path, wanted).await {
                Err(error) if error.is_conflict() => {}
                Ok(appended) if appended.outcome == Outcome::Unchanged => {
                    self.settle(path, wanted.frame_type).await?;
                    return Ok(appended);
                }
                outcome => return outcome,
            }
        }
        Err(Error::crowded(format!("the frames below {path} changed again and again")))
    }

    async fn try_synthesize_one(
        &self,
        path: &TreePath,
        wanted: &Wanted<'_>,
    ) -> Result<Appended, Error> {
        // Whatever is read from here on must not change before the frame is recorded.
        let sequence = self.row(&self.keys.only(Row::Sequence)).await?;
        let current = self.row(&self.keys.only(Row::Current)).await?.ok_or(Error::NotScanned)?;
        let root = RootEntry::decode(&current.value)?.root;
        let heads = self.gather(root, path, wanted.policy).await?;
        let node_id = self.id_at(root, path).await?.map(|(id, _)| id);
        let (Some(heads), Some(node_id)) = (heads, node_id) else {
            return Err(Error::NodeNotFound { asked: path.to_string(), nearest: None });
        };
        debug_assert!(heads.len() <= SYNTHESIS_FRAMES_MAX);
        let frames = heads.iter().map(|(_, head)| head.frame).collect();
        let basis = Basis::synthesis(frames, wanted.policy.clone());
        let mut draft = Draft {
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
        if head.is_some_and(|head| head.frame == id) {
            return Ok(Appended { frame: id, outcome: Outcome::Unchanged });
        }
        let pieces = self.pieces(&heads).await?;
        draft.content = self.registry.render(wanted.policy, &pieces)?;
        let after = After { current: Some(current), sequence: Some(NextAppend(sequence)) };
        self.append(&draft, &after).await
    }
}

/// A synthesis, the same for every directory of a call.
pub(super) struct Wanted<'a> {
    pub(super) agent: &'a AgentId,
    pub(super) frame_type: &'a FrameType,
    pub(super) policy: &'a Policy,
    /// What is said of the frames.
    pub(super) said: &'a Metadata,
}
