//! Composes frames of a node and its surroundings within limits, and renders them as text for a prompt.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;

use super::{Order, Relation, View, ViewedFrame};
use crate::frame::Judge;
use crate::history::NodeRef;
use crate::tree::{NodeKind, TreeNodeId, TreePath};
use crate::{Context, Error};

/// Places that frames are taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComposeSource {
    /// The node itself.
    Own,
    /// Its parent directory.
    Parent,
    /// The other entries of that directory.
    Siblings,
    Related(Vec<TreePath>),
}

/// Parameters of a composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// A frame that several sources have is taken from the first of them.
    pub sources: Vec<ComposeSource>,
    /// Selection, order and maximum number of the frames.
    pub view: View,
    /// Maximum size of all contents together.
    pub bytes_max: Option<usize>,
    /// Maximum number of tokens of all contents together, as [`tokens`] counts them.
    pub tokens_max: Option<usize>,
}

/// Result of a composition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Composed {
    /// Path of the requested node.
    pub path: TreePath,
    pub frames: Vec<ViewedFrame>,
    /// Number of frames that the limits left out.
    pub left_out: u64,
}

impl Default for Composition {
    fn default() -> Self {
        let view = View { heads_only: true, order: Order::Relevance, ..View::default() };
        Self {
            sources: vec![ComposeSource::Own, ComposeSource::Parent, ComposeSource::Siblings],
            view,
            bytes_max: None,
            tokens_max: None,
        }
    }
}

impl Context {
    /// Composes frames of a node and its surroundings. Skips what is missing.
    pub(crate) async fn compose(
        &self,
        asked: &NodeRef,
        how: &Composition,
    ) -> Result<Composed, Error> {
        let root = self.current().await?.root;
        let node = self.node(root, asked).await?;
        let mut frames: Vec<ViewedFrame> = Vec::new();
        let mut seen = BTreeSet::new();
        // Contents are read only for the frames that are chosen in the end.
        let brief = View { contents: false, ..how.view.clone() };
        let mut judge = Judge::of_many(self, root);
        judge.read_marks().await?;
        for source in &how.sources {
            for (path, relation) in self.places(root, &node.path, source).await? {
                for frame in self.viewed(&mut judge, &path, relation, &brief).await? {
                    if seen.insert(frame.frame.id) {
                        frames.push(frame);
                    }
                }
            }
        }
        how.view.order.sort(&mut frames, &self.registry)?;
        let all = frames.len();
        let mut frames = how.within_limits(frames);
        let left_out = (all - frames.len()) as u64;
        if how.view.contents {
            for frame in &mut frames {
                frame.content = Some(self.content(&frame.frame).await?);
            }
        }
        Ok(Composed { path: node.path, frames, left_out })
    }

    /// Returns the paths of a source.
    async fn places(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        source: &ComposeSource,
    ) -> Result<Vec<(TreePath, Relation)>, Error> {
        Ok(match source {
            ComposeSource::Own => vec![(path.clone(), Relation::Own)],
            ComposeSource::Parent => {
                path.parent().map(|parent| (parent, Relation::Parent)).into_iter().collect()
            }
            ComposeSource::Related(paths) => {
                paths.iter().map(|path| (path.clone(), Relation::Related)).collect()
            }
            ComposeSource::Siblings => {
                let Some(parent) = path.parent() else {
                    return Ok(Vec::new());
                };
                let Some(directory) = self.node_at(root, &parent).await? else {
                    return Ok(Vec::new());
                };
                debug_assert_eq!(directory.kind, NodeKind::Directory);
                let siblings = directory.children.iter().map(|child| parent.join(&child.name));
                siblings
                    .filter(|sibling| sibling != path)
                    .map(|sibling| (sibling, Relation::Sibling))
                    .collect()
            }
        })
    }
}

impl Composition {
    /// Returns the first frames that fit. Skips a frame that is too large for what is left.
    fn within_limits(&self, frames: Vec<ViewedFrame>) -> Vec<ViewedFrame> {
        let (mut bytes_left, mut tokens_left) = (self.bytes_max, self.tokens_max);
        let mut kept = Vec::new();
        for frame in frames {
            if kept.len() == self.view.max_frames {
                break;
            }
            let bytes = usize::try_from(frame.frame.bytes).unwrap_or(usize::MAX);
            let fits = |left: Option<usize>, size: usize| match left {
                Some(left) => left.checked_sub(size).map(Some),
                None => Some(None),
            };
            let (Some(bytes_then), Some(tokens_then)) =
                (fits(bytes_left, bytes), fits(tokens_left, tokens(bytes)))
            else {
                continue;
            };
            (bytes_left, tokens_left) = (bytes_then, tokens_then);
            kept.push(frame);
        }
        kept
    }
}

/// Estimates the number of tokens in a text of this size: one for each four bytes, rounded up.
pub const fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

/// Renders a composition as text of at most `tokens_max` tokens. A piece that does not fit is left out as a whole, and
/// the number of such pieces is noted at the end, if that fits.
pub fn export(composed: &Composed, tokens_max: usize) -> String {
    let bytes_max = tokens_max.saturating_mul(4);
    let mut text = String::new();
    let mut left_out = composed.left_out;
    for viewed in &composed.frames {
        let frame = &viewed.frame;
        let freshness = &viewed.freshness;
        let mut piece = String::new();
        let (path, kind, agent) = (&frame.path, &frame.frame_type, &frame.agent_id);
        let _ = writeln!(piece, "### {path} [{kind} by {agent}, {freshness}]");
        let content = viewed.content.as_deref().unwrap_or_default();
        let _ = writeln!(piece, "\n{}\n", String::from_utf8_lossy(content).trim_end());
        if text.len() + piece.len() > bytes_max {
            left_out += 1;
            continue;
        }
        text.push_str(&piece);
    }
    if left_out > 0 {
        let note = format!("[{left_out} more frames do not fit]\n");
        if text.len() + note.len() <= bytes_max {
            text.push_str(&note);
        }
    }
    text
}
