//! Replies to people, shown by the command line or a web page.

use piton_core::{Digest, Envelope, EventIndex, NodeId, SessionId, TimestampMs};
use piton_store::port::{BlobNamespace, SetAside};
use piton_workflow::event::Preferences;
use piton_workflow::label::Label;
use piton_workflow::maintenance::VerifyReport;
use piton_workflow::projection::{PersonDecision, RunSummary};
use piton_workflow::session::RunLine;
use piton_workflow::{BlockerCode, GapSeverity, UserOnlyDependency};
use serde::Serialize;

use super::artifact::ArtifactShown;

/// Every run, the newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// The runs, that with the newest event first.
    pub runs: Vec<RunSummary>,
    /// Sessions that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubled: Vec<TroubledSession>,
}

/// A session that cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TroubledSession {
    /// The session, as its directory is called.
    pub session_id: String,
    /// What people call its runs, as far as that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// What is wrong, and what to do.
    pub trouble: Envelope,
}

/// A session with its runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionShown {
    /// The session.
    pub session_id: SessionId,
    /// Whether it stays when its time is over.
    pub kept: bool,
    /// Its runs, in the order of their start.
    pub runs: Vec<RunShown>,
}

/// A run with the steps that led to where it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunShown {
    /// The run, summed up.
    pub summary: RunSummary,
    /// The node that was asked for, if the run stands elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// What it prefers there.
    pub preferences: Preferences,
    /// The steps from its start to that node, or to its preferred tip. Other branches are in its tree.
    pub steps: Vec<StepShown>,
    /// How many earlier steps are left out.
    pub left_out: usize,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StepShown {
    /// Its node.
    pub node_id: NodeId,
    /// Its title; nothing at the end of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What was handed in for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What was submitted for it beside notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactShown>,
    /// What else was recorded with it, in sentences: divergences, observations, explanations of the engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
    /// What persons decided about it, the newest first: that one counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionShown>,
    /// Why it was sent back, each time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockShown>,
    /// What is recorded as missing, decisions of persons aside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<GapShown>,
    /// How many bookmarks hang on it.
    pub bookmarks: usize,
    /// What those of them keep that keep anything, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bookmarked: Vec<BookmarkShown>,
}

/// What a bookmark keeps.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookmarkShown {
    /// Its node.
    pub node_id: NodeId,
    /// When it was made.
    pub at: TimestampMs,
    /// Its notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What it keeps beside notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactShown>,
}

/// What a person decided about a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionShown {
    /// What they decided.
    #[serde(flatten)]
    pub decision: PersonDecision,
    /// The event that recorded it.
    pub event: EventIndex,
    /// When that was.
    pub at: TimestampMs,
}

/// Why an output was sent back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlockShown {
    /// What kind of thing was missing.
    pub code: BlockerCode,
    /// What was missing.
    pub message: String,
}

/// Something that is recorded as missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GapShown {
    /// How bad it is.
    pub severity: GapSeverity,
    /// What.
    pub summary: String,
    /// Whether it is still missing.
    pub is_open: bool,
}

/// Whether a session stays when its time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KeptSession {
    /// The session.
    pub session_id: SessionId,
    /// Whether it stays.
    pub kept: bool,
}

/// A session that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// The session.
    pub session_id: SessionId,
    /// What repairs had taken out of it, which went along.
    pub set_aside: Vec<SetAsideShown>,
}

/// What a check or a repair found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Soundness {
    /// The session.
    pub session_id: SessionId,
    /// Whether it can be continued, shown and exported in full.
    pub is_sound: bool,
    /// What was found or done, for a person.
    pub summary: String,
    /// Snapshots, artifacts and pinned workflows that it refers to and that cannot be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<BrokenShown>,
    /// Other sessions that refer to some of that; told by a check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_with: Vec<SessionId>,
    /// What was taken out of it, and is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SetAsideShown>,
}

impl Soundness {
    pub(crate) fn new(found: VerifyReport, is_sound: bool, summary: String) -> Self {
        let broken = found.broken.iter().map(|one| BrokenShown {
            namespace: one.namespace,
            digest: one.digest,
            problem: one.problem.to_owned(),
        });
        Self {
            session_id: found.session,
            is_sound,
            summary,
            broken: broken.collect(),
            shared_with: found.shared_with,
            set_aside: found.set_aside.into_iter().map(SetAsideShown::from).collect(),
        }
    }
}

/// Content that a session refers to and that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BrokenShown {
    /// Which kind of content it is.
    pub namespace: BlobNamespace,
    /// Its digest.
    pub digest: Digest,
    /// What is wrong, as words that follow "it".
    pub problem: String,
}

/// What repairs and interrupted writes took out of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetAsideList {
    /// Each of them, by session and name.
    pub set_aside: Vec<SetAsideShown>,
}

/// Something that was taken out of a session and is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetAsideShown {
    /// The session, as its directory is called.
    pub session_id: String,
    /// Where it is.
    pub place: String,
    /// How many files it has.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl From<SetAside> for SetAsideShown {
    fn from(kept: SetAside) -> Self {
        let SetAside { stream, place, files, bytes, .. } = kept;
        Self { session_id: stream.to_string(), place, files, bytes }
    }
}

/// What a person settled.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SettledRun {
    /// The run, at the step that it waits at.
    pub run: RunLine,
    /// What the step needed a person for.
    pub reason: UserOnlyDependency,
    /// What was recorded.
    pub summary: String,
    /// Whether the run waits at the step until a person agrees; else the agent may continue all the same.
    pub is_held: bool,
}

/// The preferences in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AppliedPreferences {
    /// What holds.
    pub preferences: Preferences,
    /// The file that was written, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_to: Option<String>,
    /// That something stronger than what was written holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a cleaning did, or would do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CleanedUp {
    /// Whether it only said what it would do.
    pub is_rehearsal: bool,
    /// Sessions that were removed.
    pub removed: Vec<SessionId>,
    /// Sessions that are not old enough.
    pub young: usize,
    /// Sessions that are kept on purpose.
    pub kept: usize,
    /// Sessions that are old enough and could not be removed.
    pub spared: usize,
    /// What became of the blobs of each namespace.
    pub blobs: Vec<SweptBlobs>,
    /// Whether nothing was removed because something could not be read.
    pub safe_mode: bool,
    /// What kept something from being removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Envelope>,
}

/// What became of the blobs of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SweptBlobs {
    /// The namespace.
    pub namespace: BlobNamespace,
    /// Blobs that something refers to, or that are too young.
    pub kept: u64,
    /// Blobs that were removed.
    pub removed: u64,
    /// Their bytes.
    pub removed_bytes: u64,
}

/// A session that came from a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ImportedSession {
    /// The session that is there now.
    pub session_id: SessionId,
    /// The id that it had, if that one was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<SessionId>,
    /// How many events it has.
    pub events: usize,
}
