//! Replies to agents.

use piton_backpack::{Action, BackpackId, Key};
use piton_core::{Provenance, TimestampMs};
use serde::Serialize;
use serde_json::Value;

/// A value was stored.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Packed {
    /// The backpack.
    pub backpack: BackpackId,
    /// The key.
    pub key: Key,
    /// The commit that stored it.
    pub commit: String,
    /// Bytes of the value.
    pub size: u64,
}

/// A value was read, or there is none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unpacked {
    /// The backpack.
    pub backpack: BackpackId,
    /// The key.
    pub key: Key,
    /// Whether there is something under the key.
    pub found: bool,
    /// The value, if it fits into one reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// A part of the value's JSON, if the whole does not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Where the next part begins; absent with the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// What is known about the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<AboutValue>,
}

/// What is known about a value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AboutValue {
    /// Who packed it.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub timestamp_ms: TimestampMs,
    /// How often the key was packed, this time included.
    pub version: u64,
    /// Bytes of its JSON.
    pub size: u64,
    /// Its labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// What can be read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KeysListed {
    /// The backpack.
    pub backpack: BackpackId,
    /// The keys in use that the agent may read, in order.
    pub keys: Vec<Key>,
    /// How many more there are.
    pub left_out: usize,
}

/// Who did what, the newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistoryShown {
    /// The backpack.
    pub backpack: BackpackId,
    /// What happened to keys that the agent may read.
    pub commits: Vec<HistoryLine>,
    /// How many older ones there are.
    pub left_out: usize,
    /// How many commits before those were not looked at, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<u64>,
}

/// One commit, as an agent may know it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistoryLine {
    /// The commit.
    pub commit: String,
    /// When, in milliseconds since 1970.
    pub timestamp_ms: TimestampMs,
    /// Who.
    pub by: String,
    /// What was done.
    pub action: Action,
    /// To which key.
    pub key: Key,
    /// Bytes of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// A few words about the value.
    pub summary: String,
    /// The step of a workflow that it was done for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}
