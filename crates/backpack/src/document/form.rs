//! The form of the JSON document.

use std::collections::BTreeMap;

use piton_core::TimestampMs;
use serde::{Deserialize, Serialize};

use crate::backpack_id::BackpackId;
use crate::backpack_origin::BackpackOrigin;
use crate::options::Options;
use crate::permissions::Permissions;
use crate::record::{CommitRecord, ItemRecord, QuarantinedRecord};
use crate::text::NodeId;

/// The version that is written and read.
pub(super) const VERSION: u64 = 1;

/// The `format` field of a document.
pub(super) const FORMAT: &str = "piton.backpack";

/// A whole backpack.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Document {
    pub(super) v: u64,
    pub(super) format: String,
    pub(super) id: BackpackId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<BackpackOrigin>,
    pub(super) options: Options,
    /// The items in use, in key order.
    pub(super) items: Vec<ItemRecord>,
    /// The quarantine, oldest first.
    pub(super) quarantined: Vec<QuarantinedRecord>,
    pub(super) permissions: BTreeMap<NodeId, Permissions>,
    /// The number of each node's first commit.
    pub(super) nodes: BTreeMap<NodeId, u64>,
    /// The time of the newest commit.
    pub(super) timestamp_ms: TimestampMs,
    /// The number of the first commit below, or of the next commit if there is none.
    pub(super) first_commit: u64,
    /// The previous items of the keys that the commits below change.
    pub(super) base: Vec<ItemRecord>,
    /// The last commits, oldest first.
    pub(super) commits: Vec<CommitRecord>,
}
