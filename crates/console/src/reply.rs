//! Replies that are a list or may be missing: JSON needs an object around them.

use piton_runtime::backpack::inspect::FlowGraph;
use piton_runtime::run_query::Completion;
use piton_runtime::workspaces::{FileWorld, OverlayChange, WorkspaceShown};
use schemars::JsonSchema;
use serde::Serialize;

/// What could be typed next in a query line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LineCompletions {
    pub(crate) completions: Vec<Completion>,
}

/// The flow that filled a backpack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BackpackFlow {
    /// None if no flow did, or if its graph was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) graph: Option<FlowGraph>,
}

/// The Workspaces of the project.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct FileMap {
    workspaces: Vec<WorkspaceShown>,
    overlays: Vec<OverlayPlace>,
    /// What a person should know about them.
    notes: Vec<String>,
}

/// An overlay, and what it lies over.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OverlayPlace {
    overlay: String,
    over: String,
}

/// The changes of one path of an overlay.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PathChanges {
    /// Two, where an entry replaced one of another kind.
    pub(crate) changes: Vec<OverlayChange>,
}

impl FileMap {
    pub(crate) fn of(files: &FileWorld) -> Self {
        let overlays = files.overlay_prefixes();
        Self {
            workspaces: files.describe(),
            overlays: overlays.map(|(overlay, over)| OverlayPlace { overlay, over }).collect(),
            notes: files.notes().to_vec(),
        }
    }
}
