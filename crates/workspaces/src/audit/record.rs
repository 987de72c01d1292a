//! The format of audit records, and the content that a recorded change left at a path.

use piton_core::{Digest, TimestampMs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::path::LogicalPath;
use crate::scope::Tool;
use crate::store::Before;

/// A change that an actor is about to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditIntent {
    pub actor: Actor,
    pub tool: Tool,
    pub workspace: LogicalPath,
    pub path: LogicalPath,
    /// Target path of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<LogicalPath>,
    /// State of the path before the change.
    pub before: Before,
    /// Digest of the content after the change, if that is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Digest>,
    /// Name of the unfinished write beside the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp: Option<String>,
    /// Origin of the change, if an overlay was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<OverlaySource>,
    /// Source of the content, if it was copied, or moved between Stores. Older versions do not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<CopyOrigin>,
}

/// The author of a change, as recorded in the audit trail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Actor {
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Node of the run. Records of older versions name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// Source of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CopyOrigin {
    /// Path as it was called then.
    pub path: LogicalPath,
    /// Digest of the identity of the Mount that the path led to. Another Mount may be there when the record is read.
    pub mount: Digest,
}

/// The overlay that a change comes from, and the authors of the change there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverlaySource {
    pub overlay: LogicalPath,
    /// Actors that changed the path there since it was copied, the last one first.
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

/// A recorded change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditRecord {
    /// Version of the format.
    pub v: u32,
    /// Position among the records of its ledger.
    pub number: u64,
    /// Time of the record, for people. It orders only records of different Mounts in the history of a file.
    pub timestamp_ms: TimestampMs,
    pub intent: AuditIntent,
    pub outcome: AuditOutcome,
}

/// A record as people read it: flat, and without what only recovery needs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlatRecord<'a> {
    number: u64,
    timestamp_ms: TimestampMs,
    #[serde(flatten)]
    actor: &'a Actor,
    tool: Tool,
    path: &'a LogicalPath,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a LogicalPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a LogicalPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Digest>,
    outcome: AuditOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<&'a LogicalPath>,
    #[serde(skip_serializing_if = "<[Actor]>::is_empty")]
    authors: &'a [Actor],
}

impl AuditRecord {
    /// Returns the record as people read it.
    pub fn flat(&self) -> FlatRecord<'_> {
        let intent = &self.intent;
        let source = intent.source.as_ref();
        FlatRecord {
            number: self.number,
            timestamp_ms: self.timestamp_ms,
            actor: &intent.actor,
            tool: intent.tool,
            path: &intent.path,
            from: intent.origin.as_ref().map(|origin| &origin.path),
            target: intent.target.as_ref(),
            before: intent.before.digest(),
            after: intent.after,
            outcome: self.outcome,
            overlay: source.map(|source| &source.overlay),
            authors: source.map_or(&[], |source| &source.authors),
        }
    }
}

/// Version of the format that this crate writes.
pub(super) const VERSION: u32 = 1;

/// Content that a change left at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LeftContent {
    /// Nothing: the entry was deleted or moved away.
    Nothing,
    Directory,
    File(Digest),
    /// The former content of another path of the same Mount. The digest is known if the file was moved by itself, and
    /// not with a directory above it.
    Moved {
        from: LogicalPath,
        digest: Option<Digest>,
    },
}

impl LeftContent {
    /// Returns the content that a change left at a path, or `None` if the change did not touch it.
    pub(super) fn of(intent: &AuditIntent, path: &LogicalPath) -> Option<Self> {
        let is_tree = intent.before == Before::Directory;
        let is_reached = |root: &LogicalPath| *root == *path || is_tree && path.starts_with(root);
        let Some(target) = &intent.target else {
            return match (intent.after, intent.tool) {
                (Some(digest), _) => (intent.path == *path).then_some(Self::File(digest)),
                (None, Tool::Mkdir) => (intent.path == *path).then_some(Self::Directory),
                (None, _) => is_reached(&intent.path).then_some(Self::Nothing),
            };
        };
        // A move to another Store has a second record there, which describes the target.
        let is_between_stores = intent.after.is_none() && !is_tree;
        match path.below(target) {
            Some(below) if is_reached(target) && !is_between_stores => {
                Some(Self::Moved { from: intent.path.join(&below), digest: intent.after })
            }
            _ => is_reached(&intent.path).then_some(Self::Nothing),
        }
    }
}
