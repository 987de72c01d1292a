//! What comes out.

use piton_backpack::{
    Action, BackpackId, BackpackOrigin, ChangeKind, CommitId, Key, NodeIdentity, Operation,
};
use piton_core::{Digest, Envelope, Provenance, RunId, TimestampMs};
use piton_flow::RunStatus;
use serde::Serialize;

use crate::text_diff::DiffLine;

/// Which backpacks there are.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackList {
    /// Those that were written to last, the newest first.
    pub backpacks: Vec<BackpackLine>,
    /// Those that cannot be read.
    pub troubled: Vec<TroubledBackpack>,
    /// How many older ones are left out.
    pub left_out: usize,
}

/// One backpack in a list.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackLine {
    /// Its id.
    pub id: BackpackId,
    /// The start of its id that is enough to name it.
    pub short: String,
    /// When it was written to last; absent if nothing was ever committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<TimestampMs>,
    /// How many keys are in use.
    pub keys: usize,
    /// How many commits it has.
    pub commits: u64,
    /// What it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<BackpackOrigin>,
    /// The last run of a flow on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunLine>,
}

/// The run of a flow.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunLine {
    /// Which.
    pub run_id: RunId,
    /// What its flow is called: its namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// The digest of its description.
    pub digest: Digest,
    /// How it stands.
    pub status: RunStatus,
    /// How many nodes it visited.
    pub steps: u64,
    /// The last node that finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_node: Option<String>,
}

/// A backpack that cannot be read.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TroubledBackpack {
    /// Its id.
    pub id: BackpackId,
    /// Why.
    pub trouble: Envelope,
}

/// Commits, the newest first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackLog {
    /// The backpack.
    pub backpack: BackpackId,
    /// The commits.
    pub commits: Vec<CommitLine>,
    /// How many older ones fit as well.
    pub older: usize,
    /// How many of the runner's own notes are left out.
    pub notes: usize,
}

/// One commit, without its values.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitLine {
    /// Its id.
    pub commit: CommitId,
    /// What is enough to name it.
    pub short: String,
    /// When.
    pub timestamp_ms: TimestampMs,
    /// Who.
    pub by: NodeIdentity,
    /// What was done.
    pub action: Action,
    /// To which key.
    pub key: Key,
    /// The version that was stored or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Bytes of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// A few words about the value; a protected one is not shown.
    pub summary: String,
    /// The other node whose value it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// What was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Operation>,
    /// Why it was quarantined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a later commit took it back, because its node did not finish.
    pub abandoned: bool,
    /// The step of a workflow that it was made for.
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
    /// Whether it is shown to whoever asks for it.
    pub const fn can_be_revealed(self) -> bool {
        match self {
            Self::Pii | Self::Limited | Self::Quarantined => true,
            Self::TooLarge | Self::Damaged => false,
        }
    }
}

/// A value as far as it is shown.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueShown {
    /// Bytes of the value in canonical JSON.
    pub size: u64,
    /// The value as readable JSON; absent if it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Bytes of that text that are left out at its end.
    pub left_out_bytes: usize,
    /// Why it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Hidden>,
}

/// One commit with what it stored and what it replaced.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitShown {
    /// The backpack.
    pub backpack: BackpackId,
    /// The commit.
    #[serde(flatten)]
    pub line: CommitLine,
    /// What was stored, read or set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueShown>,
    /// How the value differs from what the key held before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<DiffLine>,
    /// Lines of the diff that are left out.
    pub left_out_lines: usize,
}

/// Who wrote what is in use.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackBlame {
    /// The backpack.
    pub backpack: BackpackId,
    /// For each key in use, in order, or for each version of one key, the newest first.
    pub lines: Vec<BlameLine>,
    /// How many are left out.
    pub left_out: usize,
}

/// Who wrote one value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlameLine {
    /// The key.
    pub key: Key,
    /// Who.
    pub by: NodeIdentity,
    /// When.
    pub timestamp_ms: TimestampMs,
    /// Which version of the key it is.
    pub version: u64,
    /// Bytes of the value.
    pub size: u64,
    /// The commit that stored it; absent if a fork brought it along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A few words about the value; a protected one is not shown.
    pub summary: String,
    /// The step of a workflow that it was packed for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// The state after a commit.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackState {
    /// The backpack.
    pub backpack: BackpackId,
    /// The last commit that is part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What is in use, in the order of keys.
    pub items: Vec<ItemLine>,
    /// How many are left out.
    pub left_out: usize,
}

/// One key in use.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemLine {
    /// The key.
    pub key: Key,
    /// Who packed it.
    pub by: NodeIdentity,
    /// When.
    pub timestamp_ms: TimestampMs,
    /// Which version of the key it is.
    pub version: u64,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A few words about the value; a protected one is not shown.
    pub summary: String,
    /// Bytes of the value.
    pub size: u64,
}

/// One key in use, with its value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemShown {
    /// The backpack.
    pub backpack: BackpackId,
    /// The last commit that is part of the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The item.
    #[serde(flatten)]
    pub line: ItemLine,
    /// Its value.
    pub value: ValueShown,
}

/// What differs between two states.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackpackDiff {
    /// The one that is compared with.
    pub before: DiffSide,
    /// The one that is compared.
    pub after: DiffSide,
    /// What differs, in the order of keys.
    pub changes: Vec<ChangeShown>,
    /// How many more keys differ.
    pub left_out: usize,
}

/// One of two states.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffSide {
    /// The backpack.
    pub backpack: BackpackId,
    /// The last commit that is part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// What happened to one key.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeShown {
    /// The key.
    pub key: Key,
    /// What happened.
    pub kind: ChangeKind,
    /// Who did it, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<NodeIdentity>,
    /// A few words about what it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// A few words about what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How the value differs, line by line.
    pub diff: Vec<DiffLine>,
    /// Lines that are left out.
    pub left_out_lines: usize,
}

/// What is quarantined.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineList {
    /// The backpack.
    pub backpack: BackpackId,
    /// The entries, the newest first.
    pub entries: Vec<QuarantineLine>,
    /// How many are left out.
    pub left_out: usize,
}

/// One entry of the quarantine.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineLine {
    /// The commit that put it there.
    pub commit: CommitId,
    /// What is enough to name that.
    pub short: String,
    /// When.
    pub timestamp_ms: TimestampMs,
    /// Who.
    pub by: NodeIdentity,
    /// The key.
    pub key: Key,
    /// Why.
    pub reason: String,
    /// Bytes of the value.
    pub size: u64,
    /// The value; absent if the trace was not to keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueShown>,
}
