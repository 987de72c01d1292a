//! One value with everything that is known about it.

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

/// An item: a value under its key, and where it came from. Cheap to share; it never changes.
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
    /// The key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Who packed this version.
    pub fn source(&self) -> &NodeIdentity {
        &self.source
    }

    /// The namespace of who packed it.
    pub fn namespace(&self) -> Option<&Namespace> {
        self.source.namespace.as_ref()
    }

    /// When it was packed.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// How often the key was packed, this time included.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Its tags and access control.
    pub fn labels(&self) -> &Labels {
        self.labels.as_deref().unwrap_or(Labels::NONE)
    }

    /// Bytes of its value in canonical JSON.
    pub fn size(&self) -> u64 {
        self.content.size()
    }

    /// Whether its value is at hand. What is not was too large for the history that this item comes from.
    pub fn is_available(&self) -> bool {
        self.content.held().is_some()
    }

    /// Its value in canonical JSON.
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

    /// Its value, read as a `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, Error> {
        read(&self.key, self.text()?, self.labels())
    }

    /// At most 200 bytes about the value, for people. A protected value is not shown.
    pub fn summary(&self) -> String {
        summary::summarize(&self.content, self.labels())
    }

    /// Whether its value is damaged.
    pub fn is_damaged(&self) -> bool {
        matches!(self.content, ItemContent::Damaged(_))
    }

    /// The same item, whose value the store cannot give.
    pub(crate) fn with_damage(&self) -> Self {
        match &self.content {
            ItemContent::Large(large) => {
                Self { content: ItemContent::Damaged(Arc::clone(large)), ..self.clone() }
            }
            ItemContent::Held(_) | ItemContent::Damaged(_) => self.clone(),
        }
    }

    /// The same item with its value in full.
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

/// Reads a value as a `T`. What went wrong is told in the parser's words only if the value may be shown.
pub(crate) fn read<T: DeserializeOwned>(
    key: &Key,
    text: &str,
    labels: &Labels,
) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|problem| Error::WrongType {
        key: key.clone(),
        wanted: std::any::type_name::<T>(),
        found: summary::kind(text),
        problem: if labels.is_protected() {
            None
        } else {
            Some(summary::cut(&problem.to_string()))
        },
    })
}
