//! Replies about Workspaces.

use piton_core::{Envelope, TimestampMs};
use piton_workspaces::audit::AuditOutcome;
use piton_workspaces::overlay::{DifferenceKind, LeftReason, OverlayDifference};
use piton_workspaces::{AccessScope, Actor, Tool};
use serde::Serialize;

use super::declared::DeclaredBy;

/// A Workspace, as the person who configured it sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceShown {
    pub prefix: String,
    pub scope: AccessScope,
    pub purpose: String,
    /// Storage of its files, in words.
    pub store: String,
    pub declared_by: DeclaredBy,
}

/// The permission of one tool at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolVerdict {
    pub tool: Tool,
    /// Reason that the tool is refused; `None` if it is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The Workspace of a path, and what may be done there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedPath {
    pub path: String,
    pub workspace: WorkspaceShown,
    /// Path inside the Mount; empty for the Mount itself.
    pub at: String,
    /// Message for an agent that asks for the path; `None` if the path is not hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// Permission of each tool there.
    pub tools: Vec<ToolVerdict>,
}

/// A recorded change to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordShown {
    /// Position among the records of the Mount.
    pub number: u64,
    pub timestamp_ms: TimestampMs,
    pub agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The node of the run. Older records name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    pub tool: Tool,
    pub path: String,
    /// Path that the content was copied from, or moved from between Workspaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Path that the file was moved to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Digest of the file before, if one was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Digest of the file after, if one is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    pub outcome: AuditOutcome,
    /// The overlay that the change was applied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlay: Option<String>,
    /// Authors of the change in the overlay, the last one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Actor>,
}

/// The history of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileHistory {
    pub path: String,
    pub workspace: String,
    /// Set if the file is not as the last record left it, because it was changed outside Piton.
    pub changed_outside: bool,
    /// Set if the file is not as the last record left it, because it was lost to damage.
    pub lost: bool,
    /// The last changes, oldest first. A copy or move is preceded by the changes at its origin.
    pub records: Vec<RecordShown>,
    /// Number of older records left out.
    pub left_out: usize,
}

/// A path that an overlay changed, compared with the current state below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeShown {
    /// Path below the overlay.
    pub path: String,
    pub kind: DifferenceKind,
    /// Set if the state below changed after the overlay changed the path, so that it cannot be applied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed_below: bool,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// Set if the executable bit changes: true if it is added, false if it is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
    /// The last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<RecordShown>,
    /// Unified diff; `None` for a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The changes of an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverlayDiff {
    pub overlay: String,
    /// The Workspace below.
    pub over: String,
    /// The first paths, in order.
    pub changes: Vec<ChangeShown>,
    /// Number of further paths left out.
    pub left_out: usize,
    /// All differences, to be applied as they were shown.
    #[serde(skip)]
    pub reviewed: Vec<OverlayDifference>,
}

impl OverlayDiff {
    /// Returns the number of changed paths, including those left out.
    pub fn total(&self) -> usize {
        self.changes.len() + self.left_out
    }
}

/// The result of applying an overlay.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedOverlay {
    pub overlay: String,
    /// The Workspace below.
    pub over: String,
    /// The paths that were changed below.
    pub paths: Vec<String>,
    /// Changes that remain in the overlay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftShown>,
    /// Reason that not everything was applied, if something failed on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Envelope>,
}

/// A change that was not applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftShown {
    /// Path as it is called below.
    pub path: String,
    /// Reason that it is still in the overlay.
    pub reason: LeftReason,
    /// Reason that the path is protected, and the way for a person to have it applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected: Option<String>,
}

/// The result of dropping an overlay, which then shows the state below again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DroppedOverlay {
    pub overlay: String,
    /// The Workspace below.
    pub over: String,
    /// Number of changes that were dropped.
    pub changes: usize,
}
