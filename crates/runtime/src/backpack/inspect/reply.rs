//! Replies about backpacks.

use piton_backpack::flow::RunStatus;
use piton_backpack::{
    Action, BackpackId, BackpackOrigin, ChangeKind, CommitId, Key, NodeIdentity, Operation,
};
use piton_core::{Digest, Envelope, Provenance, RunId, TimestampMs};
use serde::Serialize;

use crate::text_diff::DiffLine;

/// A list of backpacks.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackList {
    /// Most recently written first.
    pub backpacks: Vec<BackpackLine>,
    /// Backpacks that cannot be read.
    pub troubled: Vec<TroubledBackpack>,
    /// Number of older backpacks left out.
    pub left_out: usize,
}

/// One backpack in a list.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackLine {
    pub id: BackpackId,
    /// The start of the id that is enough to name the backpack.
    pub short: String,
    /// Time of the last write; absent if nothing was ever committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<TimestampMs>,
    /// Number of keys in use.
    pub keys: usize,
    pub commits: u64,
    /// The backpack and commit that it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<BackpackOrigin>,
    /// The last run of a flow on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunLine>,
}

/// A run of a flow.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunLine {
    pub run_id: RunId,
    /// Namespace of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// Digest of the flow's description.
    pub digest: Digest,
    pub status: RunStatus,
    /// Number of nodes visited.
    pub steps: u64,
    /// The last node that finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_node: Option<String>,
}

/// A backpack that cannot be read.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TroubledBackpack {
    pub id: BackpackId,
    pub trouble: Envelope,
}

/// Commits, the newest first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackLog {
    pub backpack: BackpackId,
    pub commits: Vec<CommitLine>,
    /// Number of older commits that match as well.
    pub older: usize,
    /// Number of the runner's own notes left out.
    pub notes: usize,
}

/// A commit without its values.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitLine {
    pub commit: CommitId,
    /// The short form, enough to name the commit within its backpack.
    pub short: String,
    pub timestamp_ms: TimestampMs,
    pub by: NodeIdentity,
    pub action: Action,
    pub key: Key,
    /// The version that was stored or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Size of the value in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// A few words about the value. A protected value is not shown.
    pub summary: String,
    /// The other node whose value was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// The operation that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Operation>,
    /// Reason for the quarantine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Set if a later commit took this one back because its node did not finish.
    pub abandoned: bool,
    /// The workflow step that the commit was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

piton_core::closed_set! {
    /// Why a value is not shown.
    pub enum Hidden {
        /// It is about a person.
        Pii => "pii",
        /// It is for some nodes only.
        Limited => "limited",
        /// It was taken out of use: a prompt or an error may quote a protected value.
        Quarantined => "quarantined",
        /// The history that it was to come from does not hold it.
        TooLarge => "too large for the history",
        /// The store cannot give what was packed.
        Damaged => "damaged",
    }
}

impl Hidden {
    /// True if the value is shown on explicit request.
    pub const fn can_be_revealed(self) -> bool {
        match self {
            Self::Pii | Self::Limited | Self::Quarantined => true,
            Self::TooLarge | Self::Damaged => false,
        }
    }
}

/// A value, as far as it is shown.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueShown {
    /// Size of the value in canonical JSON, in bytes.
    pub size: u64,
    /// The value as readable JSON; absent if it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of bytes left out at the end of the text.
    pub left_out_bytes: usize,
    /// Reason that the value is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Hidden>,
}

/// A commit with the value it stored and the value it replaced.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitShown {
    pub backpack: BackpackId,
    #[serde(flatten)]
    pub line: CommitLine,
    /// The value that was stored, read or quarantined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueShown>,
    /// Diff against the previous value of the key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<DiffLine>,
    /// Number of diff lines left out.
    pub left_out_lines: usize,
}

/// Authors of the values in use.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackBlame {
    pub backpack: BackpackId,
    /// One line for each key in use, in key order; or for each version of one key, newest first.
    pub lines: Vec<BlameLine>,
    /// Number of lines left out.
    pub left_out: usize,
}

/// The author of one value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlameLine {
    pub key: Key,
    pub by: NodeIdentity,
    pub timestamp_ms: TimestampMs,
    pub version: u64,
    /// Size of the value in bytes.
    pub size: u64,
    /// The commit that stored it; absent if a fork brought it along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A few words about the value. A protected value is not shown.
    pub summary: String,
    /// The workflow step that the value was packed for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// The state after a commit.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackState {
    pub backpack: BackpackId,
    /// The last commit that belongs to the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Items in use, in key order.
    pub items: Vec<ItemLine>,
    /// Number of items left out.
    pub left_out: usize,
}

/// A key in use.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemLine {
    pub key: Key,
    /// The node that packed the value.
    pub by: NodeIdentity,
    pub timestamp_ms: TimestampMs,
    pub version: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A few words about the value. A protected value is not shown.
    pub summary: String,
    /// Size of the value in bytes.
    pub size: u64,
}

/// A key in use, with its value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemShown {
    pub backpack: BackpackId,
    /// The last commit that belongs to the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(flatten)]
    pub line: ItemLine,
    pub value: ValueShown,
}

/// Differences between two states.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackDiff {
    /// The state compared against.
    pub before: DiffSide,
    /// The state that is compared.
    pub after: DiffSide,
    /// Changes, in key order.
    pub changes: Vec<ChangeShown>,
    /// Number of further keys that differ.
    pub left_out: usize,
}

/// One of two states.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffSide {
    pub backpack: BackpackId,
    /// The last commit that belongs to the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// The change of one key.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeShown {
    pub key: Key,
    pub kind: ChangeKind,
    /// Author of the change, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<NodeIdentity>,
    /// A few words about the old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// A few words about the new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Diff of the value, line by line.
    pub diff: Vec<DiffLine>,
    /// Number of diff lines left out.
    pub left_out_lines: usize,
}

/// The quarantined items of a backpack.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineList {
    pub backpack: BackpackId,
    /// Newest first.
    pub entries: Vec<QuarantineLine>,
    /// Number of entries left out.
    pub left_out: usize,
}

/// An entry of the quarantine.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineLine {
    /// The commit that quarantined the item.
    pub commit: CommitId,
    /// The short form of the commit id.
    pub short: String,
    pub timestamp_ms: TimestampMs,
    pub by: NodeIdentity,
    pub key: Key,
    pub reason: String,
    /// Size of the value in bytes.
    pub size: u64,
    /// The value; absent if the trace was configured not to keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueShown>,
}
