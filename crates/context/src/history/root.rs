//! The recorded trees of a project, numbered in the order of recording.

use std::str::FromStr;

use piton_core::{TimestampMs, canonical};
use piton_store::port::TableEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rows::RowKind;
use crate::tree::{Totals, TreeNodeId};
use crate::word::Label;
use crate::{Context, Error};

/// Minimum number of hex digits that are accepted as the prefix of a digest.
const PREFIX_DIGITS_MIN: usize = 4;

/// A recorded tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RootEntry {
    /// Number of the tree, from 1.
    pub sequence: u64,
    /// Id of the topmost directory.
    pub root: TreeNodeId,
    pub totals: Totals,
    /// Set when something could not be read during the scan.
    pub partial: bool,
    /// Time of recording; informational only.
    pub recorded_at_ms: TimestampMs,
}

/// A reference to a recorded tree.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum RootRef {
    /// The current tree: `@`.
    #[default]
    Current,
    /// The tree this number of steps before the current one: `@-2`.
    Back(u64),
    /// The tree whose digest begins with these digits.
    Digest(String),
    /// The newest tree with this label.
    Label(Label),
}

impl FromStr for RootRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text == "@" {
            return Ok(Self::Current);
        }
        if let Some(count) = text.strip_prefix("@-").and_then(|count| count.parse().ok()) {
            return Ok(Self::Back(count));
        }
        if let Some(digits) = hex_prefix(text) {
            return Ok(Self::Digest(digits.to_owned()));
        }
        Ok(Self::Label(text.parse()?))
    }
}

impl std::fmt::Display for RootRef {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Current => formatter.write_str("@"),
            Self::Back(count) => write!(formatter, "@-{count}"),
            Self::Digest(digits) => write!(formatter, "sha256:{digits}"),
            Self::Label(label) => label.fmt(formatter),
        }
    }
}

/// Returns the digits if the text is a prefix of a digest, with or without `sha256:`.
pub(crate) fn hex_prefix(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (plain && (PREFIX_DIGITS_MIN..=64).contains(&digits.len())).then_some(digits)
}

impl RootEntry {
    pub(crate) fn encode(&self) -> Vec<u8> {
        canonical::encode(self).expect("it has numbers below 2^53 and texts only").into_vec()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(bytes)
            .map_err(|error| Error::integrity("a recorded tree", error.to_string()))
    }
}

impl Context {
    /// Returns the current tree.
    pub async fn current(&self) -> Result<RootEntry, Error> {
        Ok(self.current_row().await?.1)
    }

    /// Returns the current tree with its row, whose version changes with the tree.
    pub(crate) async fn current_row(&self) -> Result<(TableEntry, RootEntry), Error> {
        let row = self.row(&self.keys.only(RowKind::Current)).await?.ok_or(Error::NotScanned)?;
        let entry = RootEntry::decode(&row.value)?;
        Ok((row, entry))
    }

    /// Returns the referenced tree.
    pub async fn root(&self, asked: &RootRef) -> Result<RootEntry, Error> {
        let current = self.current().await?;
        let missing = || Error::RootNotFound { asked: asked.to_string() };
        match asked {
            RootRef::Current => Ok(current),
            RootRef::Back(count) => {
                let sequence = current.sequence.checked_sub(*count).ok_or_else(missing)?;
                self.root_numbered(sequence).await?.ok_or_else(missing)
            }
            RootRef::Label(label) => {
                let row = self.row(&self.keys.label(label)).await?.ok_or_else(missing)?;
                let sequence = row.value.try_into().map(u64::from_be_bytes);
                let sequence = sequence.map_err(|_| {
                    Error::integrity(format!("the label {label}"), "it is no number")
                })?;
                self.root_numbered(sequence).await?.ok_or_else(missing)
            }
            RootRef::Digest(digits) => {
                let mut found: Vec<RootEntry> = Vec::new();
                for entry in self.roots().await? {
                    // The same tree may be recorded several times, for example after an edit was undone; that is not
                    // ambiguous.
                    let fits = entry.root.digest().hex().starts_with(digits);
                    if fits && found.iter().all(|other| other.root != entry.root) {
                        found.push(entry);
                    }
                }
                match found.len() {
                    0 => Err(missing()),
                    1 => Ok(found.swap_remove(0)),
                    _ => Err(Error::Ambiguous { asked: asked.to_string(), what: "recorded tree" }),
                }
            }
        }
    }

    /// Returns every recorded tree, oldest first.
    pub async fn roots(&self) -> Result<Vec<RootEntry>, Error> {
        let rows = self.rows(&self.keys.all(RowKind::Root)).await?;
        rows.iter().map(|row| RootEntry::decode(&row.value)).collect()
    }

    async fn root_numbered(&self, sequence: u64) -> Result<Option<RootEntry>, Error> {
        let row = self.row(&self.keys.root(sequence)).await?;
        row.map(|row| RootEntry::decode(&row.value)).transpose()
    }
}
