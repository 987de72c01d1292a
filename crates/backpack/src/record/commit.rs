//! The stored form of a commit.

use piton_core::{Provenance, TimestampMs};
use serde::{Deserialize, Serialize};

use super::item::ItemRecord;
use super::value::ValueRecord;
use crate::access::Operation;
use crate::commit::{Act, Commit};
use crate::commit_id::CommitId;
use crate::labels::Labels;
use crate::node_identity::NodeIdentity;
use crate::quarantined::Reason;
use crate::text::Key;

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
