//! What was taken out of use, and why.

use std::sync::Arc;

use piton_core::{BoundedText, TimestampMs};
use serde::de::DeserializeOwned;

use crate::bounds::REASON_BYTES_MAX;
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::item::Item;
use crate::node_identity::NodeIdentity;
use crate::text::Key;

/// Why something was quarantined.
pub type Reason = BoundedText<REASON_BYTES_MAX>;

/// An entry of the quarantine. No node sees it; the debug handle does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub(crate) key: Key,
    pub(crate) commit: CommitId,
    pub(crate) timestamp: TimestampMs,
    pub(crate) by: Arc<NodeIdentity>,
    pub(crate) reason: Reason,
    pub(crate) size: u64,
    /// Absent if the trace was not to keep it.
    pub(crate) item: Option<Arc<Item>>,
}

impl Quarantined {
    /// The key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The commit that quarantined it.
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// When.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Who did it.
    pub fn by(&self) -> &NodeIdentity {
        &self.by
    }

    /// Why.
    pub fn reason(&self) -> &str {
        self.reason.as_str()
    }

    /// Bytes of the value.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What it was, if the trace keeps it.
    pub fn item(&self) -> Option<&Item> {
        self.item.as_deref()
    }

    /// The value, if the trace keeps it.
    pub fn value<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        self.item.as_ref().map(|item| item.value()).transpose()
    }
}
