//! The row of a directory entry.
//!
//! A row is one line of JSON, followed by the content of the file if that is small.

use piton_core::{Code, Digest};
use serde::{Deserialize, Serialize};

use super::namespace::DirectoryId;
use crate::store::{DirectoryEntry, EntryKind, StoreFault};

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum DirectoryRow {
    Directory {
        /// Id under which its entries are stored.
        id: DirectoryId,
        /// Time at which an entry was last added or removed.
        modified: u64,
        /// In an overlay: set when it hides the lower entries.
        #[serde(default)]
        opaque: bool,
        /// In an overlay: digest of the lower entry that was deleted when the directory replaced it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Digest>,
        /// In an overlay: the intended lower state, while an apply is in progress.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        landing: Option<Landing>,
    },
    File {
        digest: Digest,
        bytes: u64,
        modified: u64,
        /// In an overlay: digest of the lower file that this one hides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Digest>,
        /// Executable bit. `None` means that of the lower file in an overlay, and false otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        executable: Option<bool>,
        /// In an overlay: the intended lower state, while an apply is in progress.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        landing: Option<Landing>,
    },
    /// In an overlay: the lower entry was deleted.
    Whiteout {
        /// Digest of the deleted entry: of a file, or of a directory with everything in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Digest>,
        modified: u64,
        /// The intended lower state, while an apply is in progress.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        landing: Option<Landing>,
    },
}

/// Intended state of the lower Store once a change of an overlay is applied.
///
/// It is written into the row before anything changes below. It stays through every change of the row until the actual
/// lower state has been determined. Until then that state is either the one that the row was based on or this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "digest", rename_all = "snake_case")]
pub(crate) enum Landing {
    Nothing,
    /// A file or a directory with this digest.
    Content(Digest),
}

impl Landing {
    /// Returns the digest of the lower entry.
    pub(crate) const fn digest(self) -> Option<Digest> {
        match self {
            Self::Nothing => None,
            Self::Content(digest) => Some(digest),
        }
    }
}

impl DirectoryRow {
    /// Returns the digest of the lower entry at the time of the first change.
    pub(crate) const fn base(&self) -> Option<Digest> {
        match self {
            Self::Directory { base, .. }
            | Self::File { base, .. }
            | Self::Whiteout { base, .. } => *base,
        }
    }

    /// Returns the intended lower state, while an apply is in progress.
    pub(crate) const fn landing(&self) -> Option<Landing> {
        match self {
            Self::Directory { landing, .. }
            | Self::File { landing, .. }
            | Self::Whiteout { landing, .. } => *landing,
        }
    }

    /// Returns the entry that the row shows in a listing. A whiteout shows none.
    pub(crate) fn listed(&self, name: String) -> Option<DirectoryEntry> {
        let (kind, bytes) = match self {
            Self::Directory { .. } => (EntryKind::Directory, 0),
            Self::File { bytes, .. } => (EntryKind::File, *bytes),
            Self::Whiteout { .. } => return None,
        };
        Some(DirectoryEntry { name, kind, bytes })
    }

    /// Returns the row with another base and another intended lower state.
    pub(crate) fn on(mut self, new_base: Option<Digest>, new_landing: Option<Landing>) -> Self {
        match &mut self {
            Self::Directory { base, landing, .. }
            | Self::File { base, landing, .. }
            | Self::Whiteout { base, landing, .. } => (*base, *landing) = (new_base, new_landing),
        }
        self
    }
}

/// A row in its stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) row: DirectoryRow,
    /// Content, if it is stored in the row.
    pub(super) inline: Option<Vec<u8>>,
}

impl Stored {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&self.row).expect("a row has a JSON form");
        if let Some(content) = &self.inline {
            bytes.push(b'\n');
            bytes.extend_from_slice(content);
        }
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, StoreFault> {
        let damaged = StoreFault::Data(Code::StoreInvariantViolation);
        // JSON escapes line breaks, so the first one always ends the row itself.
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let head = &bytes[..end.unwrap_or(bytes.len())];
        let row = serde_json::from_slice(head).map_err(|_| damaged)?;
        Ok(Self { row, inline: end.map(|end| bytes[end + 1..].to_vec()) })
    }
}
