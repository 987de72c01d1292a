//! The stored form of a quarantined entry.

use std::sync::Arc;

use piton_core::TimestampMs;
use serde::{Deserialize, Serialize};

use super::item::ItemRecord;
use super::replay::Contradiction;
use crate::commit_id::CommitId;
use crate::node_identity::NodeIdentity;
use crate::quarantined::{Quarantined, Reason};
use crate::text::Key;

/// A quarantined entry as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct QuarantinedRecord {
    pub(crate) key: Key,
    pub(crate) commit: CommitId,
    pub(crate) timestamp_ms: TimestampMs,
    pub(crate) by: NodeIdentity,
    pub(crate) reason: Reason,
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<ItemRecord>,
}

impl QuarantinedRecord {
    pub(crate) fn of(entry: &Quarantined) -> Self {
        Self {
            key: entry.key.clone(),
            commit: entry.commit,
            timestamp_ms: entry.timestamp,
            by: (*entry.by).clone(),
            reason: entry.reason.clone(),
            size: entry.size,
            item: entry.item.as_deref().map(ItemRecord::of),
        }
    }

    pub(crate) fn entry(self) -> Result<Quarantined, Contradiction> {
        Ok(Quarantined {
            key: self.key,
            commit: self.commit,
            timestamp: self.timestamp_ms,
            by: Arc::new(self.by),
            reason: self.reason,
            size: self.size,
            item: self.item.map(ItemRecord::item).transpose()?.map(Arc::new),
        })
    }
}
