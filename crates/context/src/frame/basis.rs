//! What a frame was made from.

use piton_core::{Digest, canonical};
use serde::{Deserialize, Serialize};

use super::FrameId;
use crate::{
    bounds::SYNTHESIS_LISTED_MAX,
    tree::{TreeNodeId, TreePath},
    word::FrameType,
};

/// What a frame was made from. When it changes, the frame is stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Basis {
    /// Somebody looked at a node and wrote.
    Written {
        /// The node.
        node_id: TreeNodeId,
        /// The digest of what was written.
        content: Digest,
    },
    /// The frames of a directory's entries were put together.
    Synthesis {
        /// Those frames, in the order in which they were put together.
        frames: Vec<FrameId>,
        /// How.
        policy: Policy,
        /// What stands for those frames if there are too many to be listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        many: Option<ManyFrames>,
    },
    /// A model answered.
    Generated {
        /// The digest of what it was asked.
        prompt: Digest,
        /// What it was given to read.
        given: Vec<BasisInputs>,
        /// Which try it was, from 1.
        attempt: u64,
    },
}

/// Frames that are not listed one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManyFrames {
    /// How many there are.
    pub count: u64,
    /// The digest of the canonical JSON of the list of their ids.
    pub digest: Digest,
}

piton_core::closed_set! {
    /// How a frame came to be.
    pub enum BasisKind {
        /// Somebody wrote it.
        Written => "written",
        /// It was made from the frames of a directory's entries.
        Synthesis => "synthesis",
        /// A model wrote it.
        Generated => "generated",
    }
}

/// How frames are put together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// The version of its code: another one may make another text from the same frames.
    pub version: u64,
    /// What it was told, as canonical JSON gives it.
    pub parameters: serde_json::Value,
}

/// Something that a model was given to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "what",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum BasisInputs {
    /// A tree node.
    Node {
        /// Where it is.
        path: TreePath,
        /// Its id.
        node_id: TreeNodeId,
    },
    /// A frame.
    Frame {
        /// Where it is.
        path: TreePath,
        /// Its type.
        frame_type: FrameType,
        /// Its id.
        frame_id: FrameId,
    },
}

impl Basis {
    /// That of a synthesis of these frames, in this order.
    pub fn synthesis(frames: Vec<FrameId>, policy: Policy) -> Self {
        if frames.len() <= SYNTHESIS_LISTED_MAX {
            return Self::Synthesis { frames, policy, many: None };
        }
        let list = canonical::encode(&frames).expect("it has texts only");
        let many = ManyFrames { count: frames.len() as u64, digest: Digest::of(&list) };
        Self::Synthesis { frames: Vec::new(), policy, many: Some(many) }
    }

    /// Whether a synthesis was made from any frame.
    pub fn is_of_frames(&self) -> bool {
        let many = matches!(self, Self::Synthesis { many: Some(_), .. });
        many || !self.frames().is_empty()
    }

    /// How the frame came to be.
    pub fn kind(&self) -> BasisKind {
        match self {
            Self::Written { .. } => BasisKind::Written,
            Self::Synthesis { .. } => BasisKind::Synthesis,
            Self::Generated { .. } => BasisKind::Generated,
        }
    }

    /// The digest under which the index knows it.
    pub fn digest(&self) -> Digest {
        let bytes = canonical::encode(self).expect("it has texts and small numbers only");
        Digest::of(&bytes)
    }

    /// The frames that it was made from.
    pub fn frames(&self) -> Vec<FrameId> {
        match self {
            Self::Written { .. } => Vec::new(),
            Self::Synthesis { frames, .. } => frames.clone(),
            Self::Generated { given, .. } => {
                let frame = |given: &BasisInputs| match given {
                    BasisInputs::Frame { frame_id, .. } => Some(*frame_id),
                    BasisInputs::Node { .. } => None,
                };
                given.iter().filter_map(frame).collect()
            }
        }
    }
}
