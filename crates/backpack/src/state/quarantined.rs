//! Quarantined values, with the reason for each.

use std::sync::Arc;

use piton_core::{BoundedText, TimestampMs};
use serde::de::DeserializeOwned;

use super::item::Item;
use crate::bounds::REASON_BYTES_MAX;
use crate::error::Error;
use crate::history::commit_id::CommitId;
use crate::names::{Key, NodeIdentity};

/// The reason for a quarantine.
pub type Reason = BoundedText<REASON_BYTES_MAX>;

/// An entry of the quarantine. Nodes never see it; the debug handle does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub(crate) key: Key,
    pub(crate) commit: CommitId,
    pub(crate) timestamp: TimestampMs,
    pub(crate) by: Arc<NodeIdentity>,
    pub(crate) reason: Reason,
    pub(crate) size: u64,
    /// Absent if the value was quarantined without keeping it for the trace.
    pub(crate) item: Option<Arc<Item>>,
}

impl Quarantined {
    /// Returns the key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the commit that quarantined the value.
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// Returns the time of the quarantine.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Returns the node that quarantined the value.
    pub fn by(&self) -> &NodeIdentity {
        &self.by
    }

    /// Returns the reason for the quarantine.
    pub fn reason(&self) -> &str {
        self.reason.as_str()
    }

    /// Returns the size of the value in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the quarantined item, if the trace keeps it.
    pub fn item(&self) -> Option<&Item> {
        self.item.as_deref()
    }

    /// Returns the quarantined value, if the trace keeps it.
    pub fn value<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        self.item.as_ref().map(|item| item.value()).transpose()
    }
}
