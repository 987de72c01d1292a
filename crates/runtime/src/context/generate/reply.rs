//! What came of it.

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

/// What became of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GeneratedFrame {
    /// Where.
    pub path: String,
    /// What became of it.
    pub fate: Fate,
    /// The frame, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Which model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Generated {
    /// Every node, in the order in which they were done.
    pub nodes: Vec<GeneratedFrame>,
    /// How often a model answered.
    pub answers: u64,
    /// What that cost, as far as providers say.
    pub usage: Usage,
}

impl Generated {
    /// How many nodes had a fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.nodes.iter().filter(|node| node.fate == fate).count()
    }

    /// Whether every node has its frame, but for those without a text.
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
