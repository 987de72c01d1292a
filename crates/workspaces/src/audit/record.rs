//! One record.

use piton_core::{Digest, TimestampMs};
use serde::{Deserialize, Serialize};

use crate::{files::Actor, path::LogicalPath, scope::Tool, store::Before};

/// What somebody is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditIntent {
    /// Who.
    pub actor: Actor,
    /// With which tool.
    pub tool: Tool,
    /// In which Workspace.
    pub workspace: LogicalPath,
    /// To which path.
    pub path: LogicalPath,
    /// Where it goes, if it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<LogicalPath>,
    /// What is there before.
    pub before: Before,
    /// The digest of what is there after, if a file is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Digest>,
    /// The name of the unfinished write beside the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp: Option<String>,
    /// Where the change comes from, if an overlay was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<OverlaySource>,
    /// What the content was copied from, or moved from between Stores. Records of older versions name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<CopyOrigin>,
}

/// The file that a copy was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CopyOrigin {
    /// The path, as it was called then.
    pub path: LogicalPath,
    /// The digest of what the Mount was that the path led to: another may be there when the record is read.
    pub mount: Digest,
}

/// The overlay that a change comes from, and who made the change there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverlaySource {
    /// The overlay.
    pub overlay: LogicalPath,
    /// Who changed the path there since it was copied, the last one first.
    pub authors: Vec<Actor>,
}

piton_core::closed_set! {
    /// What became of an intention.
    pub enum AuditOutcome {
        /// Not known yet: it is under way, or its process died. In a record whose row among the open ones is gone, it
        /// stands for what is done.
        Open => "open",
        /// The change happened.
        Done => "done",
        /// Nothing was changed.
        Undone => "undone",
        /// The file is neither as before nor as after: somebody else changed it too.
        Unclear => "unclear",
    }
}

/// What is recorded of one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditRecord {
    /// The version of the record.
    pub v: u32,
    /// Its place among the records.
    pub number: u64,
    /// When it was made: for people. It orders nothing but records of different Mounts in the history of a file.
    pub timestamp_ms: TimestampMs,
    /// What was meant.
    pub intent: AuditIntent,
    /// What became of it.
    pub outcome: AuditOutcome,
}

/// The version of the records that this crate writes.
pub(super) const VERSION: u32 = 1;
