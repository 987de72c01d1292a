//! Selection of the frames of a node.

use piton_core::TimestampMs;
use serde::Serialize;

use super::{Order, Relation};
use crate::{
    bounds::VIEW_FRAMES,
    frame::{Frame, Freshness},
    word::{AgentId, FrameType},
};

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
