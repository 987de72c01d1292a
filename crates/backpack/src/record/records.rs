//! The stored form of a commit.

use std::sync::Arc;

use piton_core::{Digest, Provenance, TimestampMs};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::replay::Contradiction;
use crate::access::permissions::Operation;
use crate::history::commit::{Act, Commit};
use crate::history::commit_id::CommitId;
use crate::names::{Key, NodeIdentity};
use crate::state::item::{Item, ItemContent, Large};
use crate::state::labels::Labels;
use crate::state::quarantined::{Quarantined, Reason};

/// A commit as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CommitRecord {
    pub(crate) commit: CommitId,
    pub(crate) timestamp_ms: TimestampMs,
    pub(crate) by: NodeIdentity,
    pub(crate) key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<Provenance>,
    pub(crate) act: ActRecord,
}

/// The stored form of an act.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "action",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub(crate) enum ActRecord {
    Pack {
        value: ValueRecord,
        #[serde(default, skip_serializing_if = "Labels::is_empty")]
        labels: Labels,
    },
    Unpack {
        found: bool,
    },
    Delete {},
    Quarantine {
        reason: Reason,
        /// Set when the trace keeps the value.
        kept: bool,
        /// A value that was never in use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<ValueRecord>,
    },
    Deny {
        operation: Operation,
    },
    Restore {
        /// The item that the key holds again, or nothing if the key was absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<Box<ItemRecord>>,
        /// The last commit that still stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<CommitId>,
    },
}

impl CommitRecord {
    /// Returns the value that the commit brought in.
    pub(crate) fn value(&self) -> Option<&ValueRecord> {
        match &self.act {
            ActRecord::Pack { value, .. } => Some(value),
            ActRecord::Quarantine { value, .. } => value.as_ref(),
            ActRecord::Restore { item, .. } => item.as_ref().map(|item| &item.value),
            ActRecord::Unpack { .. } | ActRecord::Delete {} | ActRecord::Deny { .. } => None,
        }
    }

    /// True if the commit changed the state.
    pub(crate) fn is_change(&self) -> bool {
        !matches!(self.act, ActRecord::Unpack { .. } | ActRecord::Deny { .. })
    }

    pub(crate) fn of(commit: &Commit) -> Self {
        let act = match &commit.act {
            Act::Pack { after, .. } => ActRecord::Pack {
                value: ValueRecord::of(&after.content),
                labels: after.labels().clone(),
            },
            Act::Unpack { read } => ActRecord::Unpack { found: read.is_some() },
            Act::Delete { .. } => ActRecord::Delete {},
            Act::Quarantine { entry, was_active } => ActRecord::Quarantine {
                reason: entry.reason.clone(),
                kept: entry.item.is_some(),
                value: entry
                    .item
                    .as_ref()
                    .filter(|_| !was_active)
                    .map(|item| ValueRecord::of(&item.content)),
            },
            Act::Deny { operation } => ActRecord::Deny { operation: *operation },
            Act::Restore(restored) => ActRecord::Restore {
                item: restored.after.as_ref().map(|item| Box::new(ItemRecord::of(item))),
                since: restored.since,
            },
        };
        Self {
            commit: commit.id,
            timestamp_ms: commit.timestamp,
            by: (*commit.author).clone(),
            key: commit.key.clone(),
            provenance: commit.provenance.as_deref().cloned(),
            act,
        }
    }
}

/// An item as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ItemRecord {
    pub(crate) key: Key,
    pub(crate) value: ValueRecord,
    pub(crate) source: NodeIdentity,
    pub(crate) timestamp_ms: TimestampMs,
    pub(crate) version: u64,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub(crate) labels: Labels,
}

impl ItemRecord {
    pub(crate) fn of(item: &Item) -> Self {
        Self {
            key: item.key.clone(),
            value: ValueRecord::of(&item.content),
            source: (*item.source).clone(),
            timestamp_ms: item.timestamp,
            version: item.version,
            labels: item.labels().clone(),
        }
    }

    pub(crate) fn item(self) -> Result<Item, Contradiction> {
        self.labels.check().map_err(|_| Contradiction::Labels)?;
        Ok(Item {
            content: self.value.content().map_err(|_| Contradiction::Value)?,
            key: self.key,
            source: Arc::new(self.source),
            timestamp: self.timestamp_ms,
            version: self.version,
            labels: (!self.labels.is_empty()).then(|| Arc::new(self.labels)),
        })
    }
}

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

/// A value as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum ValueRecord {
    Json(Value),
    /// A value that is too large for the history.
    Large {
        /// Size in bytes of canonical JSON.
        size: u64,
        /// The digest of its blob, if there is a journal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
    },
}

impl ValueRecord {
    /// Builds the record of a value that is in memory.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::Json(serde_json::from_str(text).expect("what a backpack holds is canonical JSON"))
    }

    pub(crate) fn of(content: &ItemContent) -> Self {
        match content {
            ItemContent::Held(text) => Self::of_text(text),
            ItemContent::Large(large) | ItemContent::Damaged(large) => {
                Self::Large { size: large.size, digest: large.digest }
            }
        }
    }

    /// Returns the content for an item. Fails if the value has no canonical form.
    pub(crate) fn content(&self) -> Result<ItemContent, piton_core::CanonicalError> {
        Ok(match self {
            Self::Json(value) => {
                ItemContent::Held(piton_core::canonical::encode(value)?.as_str().into())
            }
            Self::Large { size, digest } => {
                ItemContent::Large(Arc::new(Large { size: *size, digest: *digest }))
            }
        })
    }
}
