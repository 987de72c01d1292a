//! Metadata of a frame. It is not part of the frame's id.

use std::collections::BTreeMap;

use piton_core::RunId;
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    bounds::{METADATA_ENTRIES_MAX, METADATA_KEY_BYTES_MAX, METADATA_VALUE_BYTES_MAX},
};

/// A small map of short keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(BTreeMap<String, String>);

impl Metadata {
    /// Creates metadata from these entries if they are few and short enough.
    pub fn new(entries: BTreeMap<String, String>) -> Result<Self, Error> {
        if entries.len() > METADATA_ENTRIES_MAX {
            return Err(Error::Invalid(format!(
                "the metadata has {} entries; at most {METADATA_ENTRIES_MAX}",
                entries.len()
            )));
        }
        for (key, value) in &entries {
            if key.is_empty() || key.len() > METADATA_KEY_BYTES_MAX {
                return Err(Error::Invalid(format!(
                    "a metadata key has {} bytes; 1 to {METADATA_KEY_BYTES_MAX} are taken",
                    key.len()
                )));
            }
            if value.len() > METADATA_VALUE_BYTES_MAX {
                return Err(Error::Invalid(format!(
                    "the metadata value of `{key}` has {} bytes; at most {METADATA_VALUE_BYTES_MAX}",
                    value.len()
                )));
            }
        }
        Ok(Self(entries))
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Returns the run whose step made the frame, if any.
    pub fn run(&self) -> Option<RunId> {
        self.get("run")?.parse().ok()
    }

    /// Returns all entries, sorted by key.
    pub fn entries(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// Adds the entries of `other`, which win where both have the same key.
    pub(crate) fn and(mut self, other: &Self) -> Result<Self, Error> {
        self.0.extend(other.0.iter().map(|(key, value)| (key.clone(), value.clone())));
        Self::new(self.0)
    }

    /// Adds one entry.
    pub(crate) fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }
}
