//! The stored form of an item.

use std::sync::Arc;

use piton_core::TimestampMs;
use serde::{Deserialize, Serialize};

use super::replay::Contradiction;
use super::value::ValueRecord;
use crate::item::Item;
use crate::labels::Labels;
use crate::node_identity::NodeIdentity;
use crate::text::Key;

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
