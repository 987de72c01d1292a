//! Selection and order of the frames of a node.

use std::cmp::{Ordering, Reverse};

use piton_core::TimestampMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::Error;
use crate::bounds::VIEW_FRAMES;
use crate::frame::{Basis, Frame, FrameId, Freshness, Metadata};
use crate::synthesis::Registry;
use crate::tree::TreePath;
use crate::word::{AgentId, FrameType};

piton_core::closed_set! {
    /// An order of frames.
    pub enum Order {
        /// The newest first.
        Recency => "recency",
        /// By type, then the newest first.
        Type => "type",
        /// By agent, then the newest first.
        Agent => "agent",
        /// The highest [`relevance`] first.
        Relevance => "relevance",
    }
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

/// Shows a file or directory with the frames that agents put on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetContext {
    /// The file or directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// Only frames of these types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<FrameType>,
    /// Only frames of these agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// Only fresh frames (true), or only stale ones (false).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh: Option<bool>,
    /// The most frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_frames: Option<usize>,
    /// In which order; `recency` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Whether frames of the past are shown as well, not only the newest of each type.
    #[serde(default)]
    pub past: bool,
    /// Whether contents are left out.
    #[serde(default)]
    pub ids_only: bool,
}

/// The selection and order of the frames that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Maximum number of frames; 0 shows none.
    pub max_frames: usize,
    pub order: Order,
    /// With the order by type: these types first, in this order; then the others by name.
    pub types_first: Vec<FrameType>,
    /// With the order by agent: these agents first, in this order; then the others by name.
    pub agents_first: Vec<AgentId>,
    /// Name of a registered function that replaces the order.
    pub custom_order: Option<String>,
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
            types_first: Vec::new(),
            agents_first: Vec::new(),
            custom_order: None,
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

impl From<&GetContext> for View {
    fn from(request: &GetContext) -> Self {
        let usual = Self::default();
        Self {
            max_frames: request.max_frames.unwrap_or(usual.max_frames),
            order: request.order.unwrap_or(usual.order),
            types: request.types.clone(),
            agents: request.agents.clone(),
            fresh: request.fresh,
            heads_only: !request.past,
            contents: !request.ids_only,
            ..usual
        }
    }
}

/// A frame as a view shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewedFrame {
    pub id: FrameId,
    pub path: TreePath,
    /// What it says about its node.
    pub frame_type: FrameType,
    pub agent: AgentId,
    /// How it was made.
    #[serde(rename = "made", serialize_with = "as_kind")]
    #[schemars(with = "crate::frame::BasisKind")]
    pub basis: Basis,
    #[serde(flatten)]
    pub freshness: Freshness,
    /// Whether it is the newest of its type.
    pub is_head: bool,
    /// The relation of its node to the one that was asked for.
    pub relation: Relation,
    /// Number of the append that made it, or that last made it the newest.
    pub sequence: u64,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: TimestampMs,
    /// The size of its content.
    pub bytes: u64,
    /// What else is known about it, for example the session, run and step that it was written in.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What it says, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub content: Option<Vec<u8>>,
    /// Index among the frames of its path.
    #[serde(skip)]
    pub(super) index: u64,
}

impl ViewedFrame {
    pub(super) fn new(
        frame: Frame,
        freshness: Freshness,
        is_head: bool,
        sequence: u64,
        relation: Relation,
    ) -> Self {
        Self {
            id: frame.id,
            path: frame.path,
            frame_type: frame.frame_type,
            agent: frame.agent_id,
            basis: frame.basis,
            freshness,
            is_head,
            relation,
            sequence,
            created_at_ms: frame.created_at_ms,
            bytes: frame.bytes,
            metadata: frame.metadata,
            content: None,
            index: frame.index,
        }
    }

    /// Describes the frame in one line.
    pub fn line(&self) -> String {
        let past = if self.is_head { "" } else { ", replaced" };
        format!("[{} by {}, {}{past}]", self.frame_type, self.agent, self.freshness)
    }

    /// Returns the content as text, or nothing if it was not asked for.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.content.as_deref().unwrap_or_default()).into_owned()
    }
}

/// Serialises a basis as its kind.
fn as_kind<S: Serializer>(basis: &Basis, serializer: S) -> Result<S::Ok, S::Error> {
    basis.kind().serialize(serializer)
}

/// Serialises a content as text. Contents are mostly text; others are shown with replacement characters, and the digest
/// identifies them.
#[expect(clippy::ref_option, reason = "this is the form that serde asks for")]
fn as_text<S: Serializer>(content: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = content.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    serializer.serialize_str(&text)
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

    /// Sorts frames in its order.
    pub(super) fn sort(
        &self,
        frames: &mut [ViewedFrame],
        registry: &Registry,
    ) -> Result<(), Error> {
        let custom = match &self.custom_order {
            Some(name) => Some(
                registry
                    .order(name)
                    .ok_or_else(|| Error::Invalid(format!("there is no order called {name}")))?,
            ),
            None => None,
        };
        frames.sort_by(|one, other| {
            let newest = Reverse(one.sequence).cmp(&Reverse(other.sequence));
            let order = match (custom, self.order) {
                (Some(custom), _) => custom(one, other),
                (None, Order::Recency) => newest,
                (None, Order::Type) => {
                    ranked(&self.types_first, &one.frame_type, &other.frame_type).then(newest)
                }
                (None, Order::Agent) => {
                    ranked(&self.agents_first, &one.agent, &other.agent).then(newest)
                }
                (None, Order::Relevance) => {
                    let score =
                        |frame: &ViewedFrame| relevance(frame.relation, frame.freshness.is_fresh());
                    Reverse(score(one)).cmp(&Reverse(score(other))).then(newest)
                }
            };
            // Ids break ties, so that the order is the same for the same store.
            order.then(one.id.cmp(&other.id))
        });
        Ok(())
    }
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

/// Compares two items: listed ones first, in the order of the list, then the others by name.
fn ranked<T: Ord>(first: &[T], one: &T, other: &T) -> Ordering {
    let rank = |item: &T| first.iter().position(|listed| listed == item).unwrap_or(first.len());
    rank(one).cmp(&rank(other)).then_with(|| one.cmp(other))
}
