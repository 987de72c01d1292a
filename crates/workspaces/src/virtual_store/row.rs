//! One row: an entry of a directory.
//!
//! A row is a line of JSON; behind it stands the content of a file that is small.

use piton_core::{Code, Digest};
use serde::{Deserialize, Serialize};

use super::keys::DirectoryId;
use crate::store::StoreFault;

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum DirectoryRow {
    /// A directory.
    Directory {
        /// What its entries stand under.
        id: DirectoryId,
        /// When something in it was made or removed.
        modified: u64,
        /// In an overlay: whether it hides what lies below it in the lower Store.
        #[serde(default)]
        opaque: bool,
        /// In an overlay: the digest of what was deleted below when the directory took its place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Digest>,
        /// In an overlay: what is below when this has been applied, while somebody does that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        landing: Option<Landing>,
    },
    /// A file.
    File {
        /// The digest of its content.
        digest: Digest,
        /// The size of its content.
        bytes: u64,
        /// When it was written.
        modified: u64,
        /// In an overlay: the digest of the file below that it stands in front of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Digest>,
        /// Whether it is a program. Nothing stands for what is below, in an overlay, and for no otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        executable: Option<bool>,
        /// In an overlay: what is below when this has been applied, while somebody does that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        landing: Option<Landing>,
    },
    /// In an overlay: that what lies below was deleted.
    Whiteout {
        /// The digest of what was deleted: of a file, or of a directory with everything in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Digest>,
        /// When.
        modified: u64,
        /// What is below when this has been applied, while somebody does that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        landing: Option<Landing>,
    },
}

/// What is below when a change of an overlay has been applied.
///
/// It is written into the row before anything is changed below, and stays through every change of the row until
/// somebody found out what is below. Until then that is either what the row was made on or this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "digest", rename_all = "snake_case")]
pub(crate) enum Landing {
    /// Nothing.
    Nothing,
    /// A file, or a directory, with this digest.
    Content(Digest),
}

impl Landing {
    /// The digest of what is below.
    pub(crate) const fn digest(self) -> Option<Digest> {
        match self {
            Self::Nothing => None,
            Self::Content(digest) => Some(digest),
        }
    }
}

impl DirectoryRow {
    /// The digest of what was below when the path was changed first.
    pub(crate) const fn base(&self) -> Option<Digest> {
        match self {
            Self::Directory { base, .. }
            | Self::File { base, .. }
            | Self::Whiteout { base, .. } => *base,
        }
    }

    /// What is below when this has been applied, while somebody does that.
    pub(crate) const fn landing(&self) -> Option<Landing> {
        match self {
            Self::Directory { landing, .. }
            | Self::File { landing, .. }
            | Self::Whiteout { landing, .. } => *landing,
        }
    }

    /// The same row with this of what is below.
    pub(crate) fn on(mut self, new_base: Option<Digest>, new_landing: Option<Landing>) -> Self {
        match &mut self {
            Self::Directory { base, landing, .. }
            | Self::File { base, landing, .. }
            | Self::Whiteout { base, landing, .. } => (*base, *landing) = (new_base, new_landing),
        }
        self
    }
}

/// A row as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) row: DirectoryRow,
    /// The content, if it is in the row.
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
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let head = &bytes[..end.unwrap_or(bytes.len())];
        let row = serde_json::from_slice(head).map_err(|_| damaged)?;
        Ok(Self { row, inline: end.map(|end| bytes[end + 1..].to_vec()) })
    }
}

/// How much there is in a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Usage {
    pub(super) bytes: u64,
    pub(super) files: u64,
}

impl Usage {
    /// The usage after entries are taken away and added.
    pub(super) fn after(self, removed: &[&DirectoryRow], added: &[&DirectoryRow]) -> Self {
        let mut usage = self;
        for row in removed {
            if let DirectoryRow::File { bytes, .. } = row {
                usage.bytes = usage.bytes.saturating_sub(*bytes);
                usage.files = usage.files.saturating_sub(1);
            }
        }
        for row in added {
            if let DirectoryRow::File { bytes, .. } = row {
                usage.bytes += bytes;
                usage.files += 1;
            }
        }
        usage
    }
}
