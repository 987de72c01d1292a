//! The request for a generation, and its result.

use piton_context::frame::FrameId;
use piton_context::tree::TreePath;
use piton_context::word::FrameType;
use piton_models::{ProviderName, Usage};
use serde::Serialize;

piton_core::closed_set! {
    /// What to do when a model gives no answer about a node.
    pub enum OnFailure {
        /// Begin nothing more.
        Stop => "stop",
        /// Continue with the others; directories above that node are left out.
        Continue => "continue",
    }
}

/// A request for frames written by a model.
#[derive(Clone, Debug)]
pub struct GenerateFrames {
    /// The file or directory: its path, or the beginning of its id.
    pub node: String,
    /// The type of the new frames.
    pub frame_type: FrameType,
    /// The prompt; the agent's own prompt if there is none.
    pub prompt: Option<String>,
    /// Further paths whose frames the model gets.
    pub related: Vec<String>,
    /// The provider; the agent's provider, or else the default, if none is named.
    pub provider: Option<ProviderName>,
    pub model: Option<String>,
    /// Set to process everything below first.
    pub recursive: bool,
    /// Set to ask again where a frame already exists.
    pub force: bool,
    pub on_failure: OnFailure,
    /// Maximum number of tokens of one answer.
    pub answer_tokens_max: u32,
    /// Number of concurrent calls.
    pub at_once: usize,
    /// Maximum number of calls per minute; unlimited if `None`.
    pub per_minute: Option<u32>,
}

piton_core::closed_set! {
    /// What became of a node.
    pub enum Fate {
        /// A model wrote a frame.
        Made => "made",
        /// The frame was there.
        Existing => "existing",
        /// The newest frame of the type is fresh and not by a model.
        Kept => "kept",
        /// There is nothing to be said about it: no text, or something below it failed.
        Skipped => "skipped",
        /// A model gave no answer.
        Failed => "failed",
        /// Something before it failed.
        NotStarted => "not_started",
    }
}

/// The result for one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GeneratedFrame {
    pub path: TreePath,
    pub fate: Fate,
    /// The frame, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameId>,
    /// The provider that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Reason that there is no frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Generated {
    /// Every node, in the order of processing.
    pub nodes: Vec<GeneratedFrame>,
    /// Number of answers from models.
    pub answers: u64,
    /// Cost of the answers, as far as providers report it.
    pub usage: Usage,
}

impl Generated {
    /// Returns the number of nodes with a fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.nodes.iter().filter(|node| node.fate == fate).count()
    }

    /// True if every node with text has its frame.
    pub fn is_complete(&self) -> bool {
        self.count(Fate::Failed) == 0 && self.count(Fate::NotStarted) == 0
    }
}

impl GeneratedFrame {
    pub(super) fn without(path: &TreePath, fate: Fate, reason: impl Into<String>) -> Self {
        Self {
            path: path.clone(),
            fate,
            frame: None,
            provider: None,
            model: None,
            reason: Some(reason.into()),
        }
    }
}
