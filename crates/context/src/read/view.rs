//! Which frames of a node are shown.

use piton_core::TimestampMs;
use serde::Serialize;

use super::{Order, Relation};
use crate::{
    bounds::VIEW_FRAMES,
    frame::{Frame, Freshness},
    word::{AgentId, FrameType},
};

/// Which frames are shown, in which order and with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The most frames; 0 shows none.
    pub max_frames: usize,
    /// In which order.
    pub order: Order,
    /// Only these types; all, if there are none.
    pub types: Vec<FrameType>,
    /// Only these agents; all, if there are none.
    pub agents: Vec<AgentId>,
    /// Only fresh ones, or only stale ones.
    pub fresh: Option<bool>,
    /// Only heads.
    pub heads_only: bool,
    /// Only from this number of append on.
    pub sequence_min: Option<u64>,
    /// Only up to this number of append.
    pub sequence_max: Option<u64>,
    /// Only those made at this time or later.
    pub time_min: Option<TimestampMs>,
    /// Only those made at this time or earlier.
    pub time_max: Option<TimestampMs>,
    /// Whether contents are shown, or ids and what is said about them only.
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
    /// The frame.
    pub frame: Frame,
    /// Whether it is fresh.
    pub freshness: Freshness,
    /// Whether it is the head of its type.
    pub is_head: bool,
    /// When it was made or last became the head.
    pub recency: u64,
    /// How its node stands to the one that was asked for.
    pub relation: Relation,
    /// What it says, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub content: Option<Vec<u8>>,
}

impl View {
    /// Whether a frame passes every filter but the one by freshness.
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

/// Contents are text mostly; what is not is shown with replacement characters, and its digest tells it apart.
#[expect(clippy::ref_option, reason = "this is the form that serde asks for")]
fn as_text<S: serde::Serializer>(
    content: &Option<Vec<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = content.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    serializer.serialize_str(&text)
}
