//! Replies about context.

use std::collections::BTreeMap;

use piton_context::agent::Role;
use piton_context::frame::{AppendOutcome, BasisKind};
use piton_context::history::{Adopted, NodeRecord};
use piton_context::read::{Composed, NodeContext, Relation, ViewedFrame, export};
use piton_context::report::{ContextReport, Remedy, StaleFrame};
use piton_context::scan::ScanReport;
use piton_context::tree::NodeKind;
use serde::Serialize;

use crate::bounds::{CHILDREN_SHOWN_MAX, SKIPPED_SENT_MAX};

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FrameShown {
    /// Its id.
    pub id: String,
    /// Where it is.
    pub path: String,
    /// What it says about its node.
    pub frame_type: String,
    /// Whose it is.
    pub agent: String,
    /// How it came to be.
    pub made: BasisKind,
    /// Whether what it was made from is as it was.
    pub is_fresh: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_because: Option<String>,
    /// Why nobody could look whether it is fresh; then it is not called fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
    /// Whether it is the newest of its type.
    pub is_head: bool,
    /// How its node stands to the one that was asked for.
    pub relation: Relation,
    /// Its number among everything that was appended.
    pub sequence: u64,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// The size of its content.
    pub bytes: u64,
    /// What else is said about it, for example the session, run and step that it was written in.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// What it says, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// A file or directory, with the frames that were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeShown {
    /// Where it is.
    pub path: String,
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: NodeKind,
    /// As git writes it.
    pub mode: String,
    /// Bytes of a file, or of all files in a directory.
    pub size: u64,
    /// The digest of a file's bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_digest: Option<String>,
    /// Where a symbolic link points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What a directory holds directly, as far as it is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
    /// How many more it holds.
    #[serde(skip_serializing_if = "is_zero")]
    pub children_left_out: usize,
    /// The id of the directory that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether it is in the current tree.
    pub is_current: bool,
    /// The frames that were asked for.
    pub frames: Vec<FrameShown>,
    /// How many frames its path has in all.
    pub frame_count: u64,
    /// The digest of the set of them.
    pub frame_set_root: String,
    /// Where the file was before it was renamed, if that path has frames. Its newest frames went along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// A path that is gone and has frames, where the file may have been: several files had the same content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_be_from: Option<String>,
    /// Where the file is now, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// What was put together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComposedContext {
    /// The node that was asked for.
    pub path: String,
    /// Everything as one text, each piece with its path, type, agent and freshness.
    pub text: String,
    /// The frames, in their order, without their contents.
    pub frames: Vec<FrameShown>,
    /// Frames that the limits left out.
    pub left_out: u64,
}

/// A frame that was put, or was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PutFrameReply {
    /// The frame.
    pub frame: String,
    /// What came of it.
    pub outcome: AppendOutcome,
}

/// Frames that a file or directory adopted from another path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptedFrames {
    pub frames: Vec<Adopted>,
}

/// A frame that was made at a path, or was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FrameMade {
    /// Where.
    pub path: String,
    /// The frame.
    pub frame: String,
    /// What came of it.
    pub outcome: AppendOutcome,
}

/// The frames that a synthesis made, those of directories before those of what holds them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FramesMade {
    /// The frames.
    pub frames: Vec<FrameMade>,
    /// Directories that stay as they are, because nothing in them has a frame to make theirs from.
    pub skipped: Vec<String>,
}

/// What a regeneration did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Regenerated {
    /// The new frames.
    pub made: Vec<RegeneratedFrame>,
    /// Frames that were marked as invalid and hold, since they are made from the same frames as before.
    pub reaffirmed: Vec<RegeneratedFrame>,
    /// Frames that stay stale.
    pub skipped: Vec<SkippedFrame>,
    /// How many more of those there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped_left_out: usize,
    /// Paths that were looked at.
    pub examined: u64,
}

/// A frame that was made anew, or holds as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RegeneratedFrame {
    /// Where.
    pub path: String,
    /// The frame.
    pub frame: String,
}

/// A frame that stays stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SkippedFrame {
    /// Where.
    pub path: String,
    /// Its type.
    pub frame_type: String,
    /// Whose.
    pub agent: String,
    /// The frame.
    pub frame: String,
    /// Why it is stale.
    pub reason: String,
    /// What makes it fresh again: `put` it, let a model `generate` it, or `regenerate` once what it is made from is
    /// fresh.
    pub remedy: Remedy,
}

/// The result of a scan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScanShown {
    /// Id of the topmost directory.
    pub root: String,
    /// Number of the recorded tree.
    pub sequence: u64,
    /// Set if the tree differs from the previous one.
    pub is_new: bool,
    /// Number of paths that differ from the previous tree, by kind of change. The first scan counts everything as
    /// added.
    pub changes: BTreeMap<String, u64>,
    /// Number of frames that moved along with renamed files.
    #[serde(skip_serializing_if = "is_none_adopted")]
    pub adopted: u64,
    /// Number of files in the tree.
    pub files: u64,
    pub directories: u64,
    pub symlinks: u64,
    /// Size of all files, in bytes.
    pub bytes: u64,
    /// The work done by the scan, and the paths that could not be read.
    #[serde(flatten)]
    pub report: ScanReport,
}

/// Coverage of a tree with frames of one type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeShown {
    pub frame_type: String,
    pub agent: String,
    /// Number of nodes with a fresh head.
    pub fresh: u64,
    /// Number of nodes with a stale head.
    pub stale: u64,
    /// Number of nodes with no head.
    pub missing: u64,
}

/// The status of a project's context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusShown {
    /// The project directory.
    pub project: String,
    /// Frames by type and agent.
    pub types: Vec<TypeShown>,
    /// The tree, its coverage, and the stale frames with reasons.
    #[serde(flatten)]
    pub report: ContextReport,
}

/// A configured agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentShown {
    pub name: String,
    pub role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompt that it sends to models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Set if clients of the MCP server act as this agent.
    pub is_served: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is the form that serde asks for")]
fn is_none_adopted(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is the form that serde asks for")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Regenerated {
    /// True if nothing stays stale.
    pub fn is_fresh(&self) -> bool {
        self.skipped.is_empty()
    }

    /// Cuts the list of stale frames to the number that an agent is sent.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.skipped_left_out += self.skipped.len().saturating_sub(SKIPPED_SENT_MAX);
        self.skipped.truncate(SKIPPED_SENT_MAX);
        self
    }
}

impl From<&StaleFrame> for SkippedFrame {
    fn from(stale: &StaleFrame) -> Self {
        Self {
            path: stale.path.to_string(),
            frame_type: stale.frame_type.to_string(),
            agent: stale.agent.to_string(),
            frame: stale.frame.to_string(),
            reason: stale.reason.clone(),
            remedy: stale.remedy,
        }
    }
}

impl From<ViewedFrame> for FrameShown {
    fn from(viewed: ViewedFrame) -> Self {
        let ViewedFrame { frame, freshness, is_head, recency, relation, content } = viewed;
        Self {
            id: frame.id.to_string(),
            path: frame.path.to_string(),
            frame_type: frame.frame_type.to_string(),
            agent: frame.agent_id.to_string(),
            made: frame.basis.kind(),
            is_fresh: freshness.is_fresh(),
            stale_because: freshness.reason().map(str::to_owned),
            unchecked: freshness.unchecked().map(str::to_owned),
            is_head,
            relation,
            sequence: recency,
            created_at_ms: frame.created_at_ms.0,
            bytes: frame.bytes,
            metadata: frame.metadata.entries().clone(),
            content: content.map(|content| String::from_utf8_lossy(&content).into_owned()),
        }
    }
}

impl From<NodeContext> for NodeShown {
    fn from(found: NodeContext) -> Self {
        let NodeRecord { id, path, kind, mode, size, content, target, children, parent } =
            found.node;
        let shown = children.iter().take(CHILDREN_SHOWN_MAX);
        Self {
            path: path.to_string(),
            id: id.to_string(),
            kind,
            mode: mode.to_owned(),
            size,
            content_digest: content.map(|digest| digest.to_string()),
            target,
            children: shown.map(|child| child.name.to_string()).collect(),
            children_left_out: children.len().saturating_sub(CHILDREN_SHOWN_MAX),
            parent: parent.map(|parent| parent.to_string()),
            is_current: found.is_current,
            frames: found.frames.into_iter().map(FrameShown::from).collect(),
            frame_count: found.frame_count,
            frame_set_root: found.frame_set_root.to_string(),
            renamed_from: found.renamed_from.map(|renamed| renamed.path.to_string()),
            may_be_from: found.candidate.map(|candidate| candidate.path.to_string()),
            moved_to: found.moved_to.map(|path| path.to_string()),
        }
    }
}

impl ComposedContext {
    pub(super) fn new(composed: Composed, tokens_max: usize) -> Self {
        let text = export(&composed, tokens_max);
        let without = |frame: ViewedFrame| FrameShown::from(ViewedFrame { content: None, ..frame });
        Self {
            path: composed.path.to_string(),
            text,
            left_out: composed.left_out,
            frames: composed.frames.into_iter().map(without).collect(),
        }
    }
}
