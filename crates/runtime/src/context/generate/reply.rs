//! The result of a generation.

use piton_models::Usage;
use serde::Serialize;

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
    pub path: String,
    pub fate: Fate,
    /// The frame, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
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
    pub(super) fn without(path: &impl ToString, fate: Fate, reason: impl Into<String>) -> Self {
        Self {
            path: path.to_string(),
            fate,
            frame: None,
            provider: None,
            model: None,
            reason: Some(reason.into()),
        }
    }
}
