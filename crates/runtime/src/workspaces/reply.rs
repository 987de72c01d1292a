//! What comes out.

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
    /// Where it begins.
    pub prefix: String,
    /// What it permits.
    pub scope: AccessScope,
    /// What it is for.
    pub purpose: String,
    /// What its files are kept in, in words.
    pub store: String,
    /// Who declared it.
    pub declared_by: DeclaredBy,
}

/// What one tool may do at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolVerdict {
    /// The tool.
    pub tool: Tool,
    /// Why it is refused; nothing if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Which Workspace a path belongs to, and what may be done there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedPath {
    /// The path.
    pub path: String,
    /// Its Workspace.
    pub workspace: WorkspaceShown,
    /// The path inside the Mount; empty for the Mount itself.
    pub at: String,
    /// What an agent reads that asks for it; nothing if the path is not hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// What each tool may do there.
    pub tools: Vec<ToolVerdict>,
}

/// Who did something to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordShown {
    /// Its place among the records of the Mount.
    pub number: u64,
    /// When it was recorded.
    pub timestamp_ms: TimestampMs,
    /// Which agent.
    pub agent: String,
    /// In which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// In which run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// At which node of the run. Older records name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// At which step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// With which tool.
    pub tool: Tool,
    /// To which path.
    pub path: String,
    /// What its content was copied from, or moved from between Workspaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where it went, if it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The digest of the file before, if one was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The digest of the file after, if one is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What became of it.
    pub outcome: AuditOutcome,
    /// The overlay that the change was applied from, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlay: Option<String>,
    /// Who made the change there, the last one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Actor>,
}

/// Who changed a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileHistory {
    /// The path.
    pub path: String,
    /// Its Workspace.
    pub workspace: String,
    /// Whether the file is not as the last record left it: it was changed outside Piton.
    pub changed_outside: bool,
    /// Whether it is not as the last record left it because it was lost to damage.
    pub lost: bool,
    /// What was done last, oldest first. Before what copied or moved it there stands what was done where it came from.
    pub records: Vec<RecordShown>,
    /// How many older records are left out.
    pub left_out: usize,
}

/// One path that an overlay changed, compared with what is below now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeShown {
    /// The path, below the overlay.
    pub path: String,
    /// How it differs.
    pub kind: DifferenceKind,
    /// Whether what is below changed since the overlay changed it, so that it cannot be applied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed_below: bool,
    /// Lines that are new.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
    /// Whether it becomes a program, or is none any more; nothing if that stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
    /// Who changed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<RecordShown>,
    /// The lines, as a unified diff; nothing for a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// What an overlay changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverlayDiff {
    /// The Workspace.
    pub overlay: String,
    /// What it lies over.
    pub over: String,
    /// The first paths, in order.
    pub changes: Vec<ChangeShown>,
    /// How many more paths are left out.
    pub left_out: usize,
    /// All of it, to be applied as it was shown.
    #[serde(skip)]
    pub reviewed: Vec<OverlayDifference>,
}

impl OverlayDiff {
    /// How many paths it changed, with those that are left out.
    pub fn total(&self) -> usize {
        self.changes.len() + self.left_out
    }
}

/// What applying an overlay did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedOverlay {
    /// The Workspace.
    pub overlay: String,
    /// What it lies over.
    pub over: String,
    /// The paths that were changed there.
    pub paths: Vec<String>,
    /// What the overlay still changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftShown>,
    /// Why not everything was applied, if something failed on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Envelope>,
}

/// A change that was not applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftShown {
    /// The path, as it is called below.
    pub path: String,
    /// Why it is still in the overlay.
    pub reason: LeftReason,
    /// What is protected about it, and how a person can have it applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected: Option<String>,
}

/// That an overlay shows what is below again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DroppedOverlay {
    /// The Workspace.
    pub overlay: String,
    /// What it lies over.
    pub over: String,
    /// How many changes were dropped.
    pub changes: usize,
}
