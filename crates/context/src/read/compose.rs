//! Composes frames of a node and its surroundings within limits, and renders them as text for a prompt.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Order, Relation, View, ViewedFrame};
use crate::bounds::COMPOSED_TOKENS;
use crate::frame::Judge;
use crate::history::NodeRef;
use crate::tree::{NodeKind, TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType};
use crate::{Context, Error, ProjectLocation};

piton_core::closed_set! {
    /// Where a composition takes frames from.
    pub enum ComposeSource {
        /// The node itself.
        Own => "own",
        /// The directory that it is in.
        Parent => "parent",
        /// The other entries of that directory.
        Siblings => "siblings",
    }
}

/// Puts together what agents wrote about a file or directory and its surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ComposeContext {
    /// The file or directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// From where frames are taken; all three if you leave it out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<ComposeSource>,
    /// More paths to take frames from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// Only frames of these types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<FrameType>,
    /// Only frames of these agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// The most frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_frames: Option<usize>,
    /// The most tokens of the text, at four bytes each; 8000 if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// In which order; `relevance` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
}

/// Parameters of a composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// A frame that several sources have is taken from the first of them.
    pub sources: Vec<ComposeSource>,
    /// Further paths that frames are taken from, after the sources.
    pub related: Vec<TreePath>,
    /// Selection, order and maximum number of the frames.
    pub view: View,
    /// Maximum size of all contents together.
    pub bytes_max: Option<usize>,
    /// Maximum number of tokens of all contents together, as [`tokens`] counts them.
    pub tokens_max: Option<usize>,
}

/// Result of a composition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Composed {
    /// Path of the requested node.
    pub path: TreePath,
    /// Everything as one text, each piece with its path, type, agent and freshness. Empty until it is rendered.
    pub text: String,
    /// The frames, in their order.
    pub frames: Vec<ViewedFrame>,
    /// Number of frames that the limits left out.
    pub left_out: u64,
}

impl Default for Composition {
    fn default() -> Self {
        let view = View { heads_only: true, order: Order::Relevance, ..View::default() };
        Self {
            sources: ComposeSource::ALL.to_vec(),
            related: Vec::new(),
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
        let mut places = Vec::new();
        for source in &how.sources {
            places.extend(self.places(root, &node.path, *source).await?);
        }
        places.extend(how.related.iter().map(|path| (path.clone(), Relation::Related)));
        for (path, relation) in places {
            for frame in self.viewed(&mut judge, &path, relation, &brief).await? {
                if seen.insert(frame.id) {
                    frames.push(frame);
                }
            }
        }
        how.view.sort(&mut frames, &self.registry)?;
        let all = frames.len();
        let mut frames = how.within_limits(frames);
        let left_out = (all - frames.len()) as u64;
        if how.view.contents {
            for frame in &mut frames {
                frame.content = Some(self.content_at(&frame.path, frame.index).await?);
            }
        }
        Ok(Composed { path: node.path, text: String::new(), frames, left_out })
    }

    /// Returns the paths of a source.
    async fn places(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        source: ComposeSource,
    ) -> Result<Vec<(TreePath, Relation)>, Error> {
        Ok(match source {
            ComposeSource::Own => vec![(path.clone(), Relation::Own)],
            ComposeSource::Parent => {
                path.parent().map(|parent| (parent, Relation::Parent)).into_iter().collect()
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
    /// Returns the parameters of a request, with paths as the caller at `location` means them.
    pub(crate) fn new(request: &ComposeContext, location: &ProjectLocation) -> Result<Self, Error> {
        let usual = Self::default();
        let related = request.related.iter().map(|path| location.path(path));
        let sources =
            if request.sources.is_empty() { usual.sources } else { request.sources.clone() };
        Ok(Self {
            sources,
            related: related.collect::<Result<_, _>>()?,
            view: View {
                types: request.types.clone(),
                agents: request.agents.clone(),
                max_frames: request.max_frames.unwrap_or(usual.view.max_frames),
                order: request.order.unwrap_or(usual.view.order),
                ..usual.view
            },
            bytes_max: None,
            tokens_max: Some(request.max_tokens.unwrap_or(COMPOSED_TOKENS)),
        })
    }

    /// Returns the first frames that fit. Skips a frame that is too large for what is left.
    pub(super) fn within_limits(&self, frames: Vec<ViewedFrame>) -> Vec<ViewedFrame> {
        let (mut bytes_left, mut tokens_left) = (self.bytes_max, self.tokens_max);
        let mut kept = Vec::new();
        for frame in frames {
            if kept.len() == self.view.max_frames {
                break;
            }
            let bytes = usize::try_from(frame.bytes).unwrap_or(usize::MAX);
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

/// Renders a frame as a piece of text.
pub(super) fn piece(frame: &ViewedFrame) -> String {
    let ViewedFrame { path, frame_type, agent, freshness, .. } = frame;
    let heading = format!("### {path} [{frame_type} by {agent}, {freshness}]");
    format!("{heading}\n\n{}\n\n", frame.text().trim_end())
}

/// Estimates the number of tokens in a text of this size: one for each four bytes, rounded up.
pub const fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

impl Composed {
    /// Renders the frames as text of at most `tokens_max` tokens. A piece that does not fit is left out as a whole, and
    /// the number of such pieces is noted at the end, if that fits.
    pub fn export(&self, tokens_max: usize) -> String {
        let bytes_max = tokens_max.saturating_mul(4);
        let mut text = String::new();
        let mut left_out = self.left_out;
        for frame in &self.frames {
            let piece = piece(frame);
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

    /// Returns the text, or the reason that it is empty.
    pub fn text(&self) -> String {
        if !self.text.is_empty() {
            return self.text.clone();
        }
        match self.left_out + self.frames.len() as u64 {
            0 => format!("Nothing is written about {} and its surroundings yet.", self.path),
            1 => "The one frame does not fit; give it more tokens.".to_owned(),
            left_out => format!("None of {left_out} frames fits; give them more tokens."),
        }
    }
}
