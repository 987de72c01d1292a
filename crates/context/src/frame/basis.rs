//! The basis of a frame: the inputs that it was made from.

use piton_core::{Digest, canonical};
use serde::{Deserialize, Serialize};

use super::FrameId;
use crate::bounds::SYNTHESIS_LISTED_MAX;
use crate::tree::{TreeNodeId, TreePath};
use crate::word::FrameType;

/// The inputs that a frame was made from. When they change, the frame is stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Basis {
    /// Written by a person or an agent that looked at a node.
    Written {
        node_id: TreeNodeId,
        /// Digest of the text that was written.
        content: Digest,
    },
    /// Combined from the frames of a directory's entries.
    Synthesis {
        /// The combined frames, in order. Empty if there are too many to be listed.
        frames: Vec<FrameId>,
        policy: Policy,
        /// Stands for the frames if there are too many to be listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        many: Option<ManyFrames>,
    },
    /// Answered by a model.
    Generated {
        /// Digest of the prompt.
        prompt: Digest,
        /// The nodes and frames that the model was given to read.
        given: Vec<BasisInputs>,
        /// Number of the attempt, from 1.
        attempt: u64,
    },
}

/// A digest that stands for frames that are not listed one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManyFrames {
    pub count: u64,
    /// Digest of the canonical JSON of the list of their ids.
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

/// The method by which frames are combined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    pub name: String,
    /// Version of the policy's code. Another version may make another text from the same frames.
    pub version: u64,
    /// Parameters of the policy, in the form that canonical JSON gives them.
    pub parameters: serde_json::Value,
}

/// An input that a model was given to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "what",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum BasisInputs {
    Node { path: TreePath, node_id: TreeNodeId },
    Frame { path: TreePath, frame_type: FrameType, frame_id: FrameId },
}

impl Basis {
    /// Creates the basis of a synthesis of these frames, in this order.
    pub fn synthesis(frames: Vec<FrameId>, policy: Policy) -> Self {
        if frames.len() <= SYNTHESIS_LISTED_MAX {
            return Self::Synthesis { frames, policy, many: None };
        }
        let list = canonical::encode(&frames).expect("it has texts only");
        let many = ManyFrames { count: frames.len() as u64, digest: Digest::of(&list) };
        Self::Synthesis { frames: Vec::new(), policy, many: Some(many) }
    }

    /// True if it was made from any frame.
    pub fn is_of_frames(&self) -> bool {
        let many = matches!(self, Self::Synthesis { many: Some(_), .. });
        many || !self.frames().is_empty()
    }

    /// Returns the kind of basis.
    pub fn kind(&self) -> BasisKind {
        match self {
            Self::Written { .. } => BasisKind::Written,
            Self::Synthesis { .. } => BasisKind::Synthesis,
            Self::Generated { .. } => BasisKind::Generated,
        }
    }

    /// Returns the digest that the index stores for this basis.
    pub fn digest(&self) -> Digest {
        let bytes = canonical::encode(self).expect("it has texts and small numbers only");
        Digest::of(&bytes)
    }

    /// Returns the listed frames that it was made from.
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
