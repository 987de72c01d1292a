//! Results of keeping, deleting, checking, repairing, cleaning and importing sessions.

use piton_core::{Envelope, SessionId};
use piton_store::port::{BlobNamespace, SetAside};
use piton_workflow::maintenance::{BrokenContent, VerifyReport};
use schemars::JsonSchema;
use serde::Serialize;

/// Whether a session stays when its time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptSession {
    /// The session.
    pub session_id: SessionId,
    /// Whether it stays.
    pub kept: bool,
}

/// A session that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// The session.
    pub session_id: SessionId,
    /// What repairs had taken out of it, which went along.
    pub set_aside: Vec<SetAsideShown>,
}

/// What a check or a repair found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    pub broken: Vec<BrokenContent>,
    /// Other sessions that refer to some of that; reported by a check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_with: Vec<SessionId>,
    /// What was taken out of it, and is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SetAsideShown>,
}

impl Soundness {
    pub(crate) fn new(found: VerifyReport, is_sound: bool, summary: String) -> Self {
        Self {
            session_id: found.session,
            is_sound,
            summary,
            broken: found.broken,
            shared_with: found.shared_with,
            set_aside: found.set_aside.into_iter().map(SetAsideShown::from).collect(),
        }
    }
}

/// What repairs and interrupted writes took out of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetAsideList {
    /// Each of them, by session and name.
    pub set_aside: Vec<SetAsideShown>,
}

/// Something that was taken out of a session and is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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

/// What a cleaning did, or would do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
