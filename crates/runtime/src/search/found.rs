//! What was found, by kind.

use piton_core::Envelope;
use piton_store::index::Excerpt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::is_zero;
use crate::reply::SearchResults;

piton_core::closed_set! {
    /// A kind of things that are found by words. Runs are found too, and listed apart.
    pub enum FoundKind {
        /// A backpack, or a key in one.
        Backpack => "backpack",
        /// A frame of the project's context.
        Frame => "frame",
        /// A path in the log of the Workspaces.
        File => "file",
        /// A workflow that can be run.
        Workflow => "workflow",
    }
}

/// Everything that has the words that were searched for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Findings {
    #[serde(flatten)]
    pub runs: SearchResults,
    /// Everything but runs, by kind. A kind without a match is left out, unless it could not be searched completely.
    pub groups: Vec<FoundGroup>,
}

/// Things of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundGroup {
    pub kind: FoundKind,
    pub things: Vec<FoundThing>,
    /// Number of all matches.
    pub total: u64,
    /// Number of sources, such as backpacks, that are not indexed yet. Searching again finds more.
    #[serde(skip_serializing_if = "is_zero")]
    pub unindexed: usize,
    /// The reason why nothing of this kind could be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<Envelope>,
}

/// A thing that was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundThing {
    #[serde(flatten)]
    pub name: ThingName,
    /// Where it has the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
}

/// The name of a thing, as the index keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThingName {
    /// The id of a backpack or workflow, or the path of a frame's node or of a file.
    pub place: String,
    /// The key in the backpack, the type of the frame, or the name of the workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl FoundGroup {
    /// Returns the group of a kind that could not be searched.
    pub(super) fn unavailable(kind: FoundKind, why: Envelope) -> Self {
        Self { kind, things: Vec::new(), total: 0, unindexed: 0, unavailable: Some(why) }
    }

    /// True if there is something to say about the kind.
    pub(super) fn says_something(&self) -> bool {
        self.total > 0 || self.unindexed > 0 || self.unavailable.is_some()
    }
}
