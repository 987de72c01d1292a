//! The stored form of a value.

use std::sync::Arc;

use piton_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::item_content::{ItemContent, Large};

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
