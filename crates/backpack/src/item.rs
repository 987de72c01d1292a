//! Items: a value with everything that is known about it.

use std::fmt;
use std::sync::Arc;

use piton_core::{Namespace, TimestampMs};
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::item_content::ItemContent;
use crate::labels::Labels;
use crate::node_identity::NodeIdentity;
use crate::summary;
use crate::text::Key;

/// A value under its key, and its origin. Cheap to share; it never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Item {
    pub(crate) key: Key,
    pub(crate) content: ItemContent,
    pub(crate) source: Arc<NodeIdentity>,
    pub(crate) timestamp: TimestampMs,
    pub(crate) version: u64,
    pub(crate) labels: Option<Arc<Labels>>,
}

impl Item {
    /// Returns the key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the node that packed this version.
    pub fn source(&self) -> &NodeIdentity {
        &self.source
    }

    /// Returns the namespace of the node that packed it.
    pub fn namespace(&self) -> Option<&Namespace> {
        self.source.namespace.as_ref()
    }

    /// Returns the time at which it was packed.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Returns how many times the key has been packed, including this time.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the tags and the access control.
    pub fn labels(&self) -> &Labels {
        self.labels.as_deref().unwrap_or(Labels::NONE)
    }

    /// Returns the size of the value in bytes of canonical JSON.
    pub fn size(&self) -> u64 {
        self.content.size()
    }

    /// True if the value is in memory. Otherwise it was too large for the history that this item comes from.
    pub fn is_available(&self) -> bool {
        self.content.held().is_some()
    }

    /// Returns the value in canonical JSON.
    pub fn text(&self) -> Result<&str, Error> {
        match &self.content {
            ItemContent::Held(text) => Ok(text),
            ItemContent::Large(large) => {
                Err(Error::Unavailable { key: self.key.clone(), size: large.size })
            }
            ItemContent::Damaged(large) => {
                Err(Error::DamagedValue { key: self.key.clone(), size: large.size })
            }
        }
    }

    /// Deserializes the value as a `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, Error> {
        read(&self.key, self.text()?, self.labels())
    }

    /// Describes the value for people in at most 200 bytes. A protected value is not shown.
    pub fn summary(&self) -> String {
        summary::summarize(&self.content, self.labels())
    }

    /// True if the value is damaged.
    pub fn is_damaged(&self) -> bool {
        matches!(self.content, ItemContent::Damaged(_))
    }

    /// Returns the same item, marked as one whose value the store cannot return.
    pub(crate) fn with_damage(&self) -> Self {
        match &self.content {
            ItemContent::Large(large) => {
                Self { content: ItemContent::Damaged(Arc::clone(large)), ..self.clone() }
            }
            ItemContent::Held(_) | ItemContent::Damaged(_) => self.clone(),
        }
    }

    /// Returns the same item with its value filled in.
    pub(crate) fn with_text(&self, text: Arc<str>) -> Self {
        Self { content: ItemContent::Held(text), ..self.clone() }
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Item")
            .field("key", &self.key)
            .field("version", &self.version)
            .field("source", &self.source.id)
            .field("content", &self.content)
            .finish_non_exhaustive()
    }
}

/// Deserializes a value as a `T`. The error contains the parser's message only if the value may be shown.
pub(crate) fn read<T: DeserializeOwned>(
    key: &Key,
    text: &str,
    labels: &Labels,
) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|problem| Error::WrongType {
        key: key.clone(),
        wanted: std::any::type_name::<T>(),
        found: summary::kind(text),
        // Messages of the parser quote parts of the value.
        problem: if labels.is_protected() {
            None
        } else {
            Some(summary::cut(&problem.to_string()))
        },
    })
}
