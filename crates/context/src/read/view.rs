//! Selection and order of the frames of a node.

use std::cmp::{Ordering, Reverse};

use piton_core::TimestampMs;
use serde::Serialize;

use crate::Error;
use crate::bounds::VIEW_FRAMES;
use crate::frame::{Frame, Freshness};
use crate::synthesis::Registry;
use crate::word::{AgentId, FrameType};

/// The selection and order of the frames that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Maximum number of frames; 0 shows none.
    pub max_frames: usize,
    pub order: Order,
    /// Types to show; all if empty.
    pub types: Vec<FrameType>,
    /// Agents to show; all if empty.
    pub agents: Vec<AgentId>,
    /// Restricts it to fresh frames, or to those that are not.
    pub fresh: Option<bool>,
    /// Restricts it to heads.
    pub heads_only: bool,
    /// Lowest append number.
    pub sequence_min: Option<u64>,
    /// Highest append number.
    pub sequence_max: Option<u64>,
    /// Earliest time of creation.
    pub time_min: Option<TimestampMs>,
    /// Latest time of creation.
    pub time_max: Option<TimestampMs>,
    /// Set to show contents, not only ids and descriptions.
    pub contents: bool,
}

impl Default for View {
    fn default() -> Self {
        Self {
            max_frames: VIEW_FRAMES,
            order: Order::Recency,
            types: Vec::new(),
            agents: Vec::new(),
            fresh: None,
            heads_only: false,
            sequence_min: None,
            sequence_max: None,
            time_min: None,
            time_max: None,
            contents: true,
        }
    }
}

/// A frame as a view shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewedFrame {
    pub frame: Frame,
    pub freshness: Freshness,
    /// Set when it is the head of its type.
    pub is_head: bool,
    /// Number of the append that made it, or that last made it the head.
    pub recency: u64,
    /// Relation of its node to the requested one.
    pub relation: Relation,
    /// The content, if requested.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub content: Option<Vec<u8>>,
}

impl View {
    /// True if a frame passes every filter except the one by freshness.
    pub(super) fn takes(&self, frame: &Frame, is_head: bool, recency: u64) -> bool {
        (self.types.is_empty() || self.types.contains(&frame.frame_type))
            && (self.agents.is_empty() || self.agents.contains(&frame.agent_id))
            && (is_head || !self.heads_only)
            && self.sequence_min.is_none_or(|min| recency >= min)
            && self.sequence_max.is_none_or(|max| recency <= max)
            && self.time_min.is_none_or(|min| frame.created_at_ms >= min)
            && self.time_max.is_none_or(|max| frame.created_at_ms <= max)
    }
}

/// Serialises a content as text. Contents are mostly text; others are shown with replacement characters, and the digest
/// identifies them.
#[expect(clippy::ref_option, reason = "this is the form that serde asks for")]
fn as_text<S: serde::Serializer>(
    content: &Option<Vec<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = content.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    serializer.serialize_str(&text)
}

piton_core::closed_set! {
    /// How the node of a frame stands to the one that was asked for.
    pub enum Relation {
        /// It is the node itself.
        Own => "own",
        /// It is the directory that the node is in.
        Parent => "parent",
        /// It was named as related.
        Related => "related",
        /// It is in the same directory.
        Sibling => "sibling",
    }
}

/// An order of frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Newest first.
    #[default]
    Recency,
    /// By type, then newest first.
    Type,
    /// By agent, then newest first.
    Agent,
    /// These types first, in this order; then the others by name.
    TypePriority(Vec<FrameType>),
    /// These agents first, in this order; then the others by name.
    AgentPriority(Vec<AgentId>),
    /// Highest [`relevance`] first.
    Relevance,
    /// A function that was registered under this name.
    Custom(String),
}

/// Scores the relevance of a frame: `own` 400, `parent` 300, `related` 200, `sibling` 100, and 50 more if it is fresh.
/// Frames with equal scores are ordered by recency.
pub fn relevance(relation: Relation, fresh: bool) -> u64 {
    let near = match relation {
        Relation::Own => 400,     // tidy: number of the score, as documented above
        Relation::Parent => 300,  // tidy: number, the same
        Relation::Related => 200, // tidy: number, the same
        Relation::Sibling => 100, // tidy: number, the same
    };
    near + if fresh { 50 } else { 0 }
}

impl Order {
    /// Sorts frames in this order.
    pub(super) fn sort(
        &self,
        frames: &mut [ViewedFrame],
        registry: &Registry,
    ) -> Result<(), Error> {
        let custom = match self {
            Self::Custom(name) => Some(
                registry
                    .order(name)
                    .ok_or_else(|| Error::Invalid(format!("there is no order called {name}")))?,
            ),
            _ => None,
        };
        frames.sort_by(|one, other| {
            let newest = Reverse(one.recency).cmp(&Reverse(other.recency));
            let order = match self {
                Self::Recency => newest,
                Self::Type => one.frame.frame_type.cmp(&other.frame.frame_type).then(newest),
                Self::Agent => one.frame.agent_id.cmp(&other.frame.agent_id).then(newest),
                Self::TypePriority(first) => {
                    ranked(first, &one.frame.frame_type, &other.frame.frame_type).then(newest)
                }
                Self::AgentPriority(first) => {
                    ranked(first, &one.frame.agent_id, &other.frame.agent_id).then(newest)
                }
                Self::Relevance => {
                    let score =
                        |frame: &ViewedFrame| relevance(frame.relation, frame.freshness.is_fresh());
                    Reverse(score(one)).cmp(&Reverse(score(other))).then(newest)
                }
                Self::Custom(_) => {
                    let custom = custom.expect("it was looked up above");
                    custom(&one.frame, &other.frame)
                }
            };
            // Ids break ties, so that the order is the same for the same store.
            order.then(one.frame.id.cmp(&other.frame.id))
        });
        Ok(())
    }
}

/// Compares two items: listed ones first, in the order of the list, then the others by name.
fn ranked<T: Ord>(first: &[T], one: &T, other: &T) -> Ordering {
    let rank = |item: &T| first.iter().position(|listed| listed == item).unwrap_or(first.len());
    rank(one).cmp(&rank(other)).then_with(|| one.cmp(other))
}
