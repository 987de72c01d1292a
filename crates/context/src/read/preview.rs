//! What a composition takes in at a budget, and what falls off.
//!
//! *Invariants*: a preview includes exactly the frames whose text the composition of the same request contains.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::compose::{piece, tokens};
use super::{Composed, Composition, ViewedFrame};
use crate::bounds::COMPOSED_TOKENS;
use crate::frame::FrameId;
use crate::tree::TreePath;

/// The frames that a composition chooses from, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComposePreview {
    pub path: TreePath,
    /// The budget.
    pub max_tokens: usize,
    /// Tokens of the frames that are included.
    pub tokens: usize,
    pub frames: Vec<PreviewedFrame>,
    /// Number of further frames, which come after these.
    pub left_out: u64,
}

/// A frame that a composition may take in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewedFrame {
    /// The frame, without its content.
    pub frame: ViewedFrame,
    /// Tokens of the frame with its heading.
    pub tokens: usize,
    pub is_included: bool,
    /// The budget from which on it is always included, together with all frames before it; none if the number of frames
    /// leaves it out. A smaller budget may include it too, where one before it is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fits_at: Option<usize>,
}

/// Marks what fits of everything that could be composed.
pub(crate) fn preview(composed: Composed, how: &Composition) -> ComposePreview {
    let max_tokens = how.tokens_max.unwrap_or(COMPOSED_TOKENS);
    let included = included(&composed.frames, how, max_tokens);
    // Two limits apply one after the other: to the contents, and to the text with its headings.
    let (mut contents, mut pieces, mut used) = (0, 0, 0);
    let frames = composed.frames.into_iter().enumerate().map(|(place, frame)| {
        let bytes = piece(&frame).len();
        contents += tokens(usize::try_from(frame.bytes).unwrap_or(usize::MAX));
        pieces += bytes;
        let is_included = included.contains(&frame.id);
        used += if is_included { bytes } else { 0 };
        PreviewedFrame {
            tokens: tokens(bytes),
            is_included,
            fits_at: (place < how.view.max_frames).then(|| tokens(pieces).max(contents)),
            frame: ViewedFrame { content: None, ..frame },
        }
    });
    let frames = frames.collect();
    ComposePreview {
        path: composed.path,
        max_tokens,
        tokens: tokens(used),
        frames,
        left_out: composed.left_out,
    }
}

/// Returns the frames whose text a composition contains.
fn included(frames: &[ViewedFrame], how: &Composition, max_tokens: usize) -> BTreeSet<FrameId> {
    let chosen = how.within_limits(frames.to_vec());
    let (mut included, mut bytes) = (BTreeSet::new(), 0);
    for frame in &chosen {
        let more = piece(frame).len();
        if bytes + more <= max_tokens.saturating_mul(4) {
            bytes += more;
            included.insert(frame.id);
        }
    }
    included
}
