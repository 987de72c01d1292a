//! A frame without its content: its id, its metadata, and its record, which is one row of the table.
//!
//! *Invariants*: a row that is returned hashes to its id and matches its seal; the seal covers the parts of the header
//! that are not in the id. The reader of the content checks it against its digest. Rows written before seals existed
//! have none.

use std::collections::BTreeMap;

use piton_core::{Digest, FileBytes, RunId, TimestampMs, canonical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Basis;
use crate::Error;
use crate::bounds::{METADATA_ENTRIES_MAX, METADATA_KEY_BYTES_MAX, METADATA_VALUE_BYTES_MAX};
use crate::rows::{Bytes, put_bytes, seal};
use crate::tree::{TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType};

/// Values of the byte after the header of a row: whether a seal follows, and whether the content follows.
const PLAIN: u8 = 0;
const PLAIN_INLINE: u8 = 1;
const SEALED: u8 = 2;
const SEALED_INLINE: u8 = 3;

/// Domain of the hash that seals a header.
const SEAL: &str = "frame_row";

/// Row of an index whose frame a repair took out of use. As a header length, no real row begins with it.
pub(crate) const LOST: [u8; 8] = [u8::MAX; 8];

/// A frame without its content.
#[expect(clippy::struct_field_names, reason = "a frame type is called that everywhere")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Frame {
    pub id: FrameId,
    pub path: TreePath,
    /// Node at the path when the frame was made.
    pub node_id: TreeNodeId,
    /// Aspect of the node that the frame describes.
    pub frame_type: FrameType,
    pub agent_id: AgentId,
    pub basis: Basis,
    /// Digest of the content.
    pub content: Digest,
    /// Size of the content.
    pub bytes: u64,
    pub metadata: Metadata,
    /// Number of the append, counted over the whole project.
    pub sequence: u64,
    /// Index among the frames of its path, from 0.
    pub index: u64,
    /// Time of creation; informational only.
    pub created_at_ms: TimestampMs,
}

impl Frame {
    /// Returns the header of the row.
    pub(crate) fn header(&self) -> Vec<u8> {
        canonical::encode(self).expect("it has texts and small numbers only").into_vec()
    }

    /// Encodes the row: the header and its seal, then the content if it is stored inline.
    pub(crate) fn encode(header: &[u8], inline: Option<&[u8]>) -> Vec<u8> {
        let mut row = Vec::with_capacity(header.len() + 17 + inline.map_or(0, <[u8]>::len));
        put_bytes(&mut row, header);
        row.push(if inline.is_some() { SEALED_INLINE } else { SEALED });
        row.extend_from_slice(&seal(SEAL, header));
        row.extend_from_slice(inline.unwrap_or_default());
        row
    }

    /// Decodes a row into the frame and its inline content, if any. Checks the id.
    pub(crate) fn decode(row: &[u8]) -> Result<(Self, Option<Vec<u8>>), Error> {
        let damaged = |detail: &str| Error::integrity("a frame", detail);
        let (header, inline) = Self::split(row).ok_or_else(|| damaged("its row was changed"))?;
        let frame: Self =
            serde_json::from_slice(header).map_err(|error| damaged(&error.to_string()))?;
        // The seal shows that the row was not altered; this shows that it was right when it was written.
        if frame.id != FrameId::of(&frame.path, &frame.frame_type, &frame.agent_id, &frame.basis) {
            let what = format!("the frame {}", frame.id);
            return Err(Error::integrity(what, "its row does not give this id"));
        }
        Ok((frame, inline.map(<[u8]>::to_vec)))
    }

    /// Splits a row into header and inline content. Returns `None` if it is malformed or the seal does not match.
    pub(crate) fn split(row: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
        let mut bytes = Bytes(row);
        let header = bytes.bytes()?;
        let [kind] = bytes.array()?;
        if matches!(kind, SEALED | SEALED_INLINE) && bytes.array()? != seal(SEAL, header) {
            return None;
        }
        match kind {
            PLAIN | SEALED => bytes.end((header, None)),
            PLAIN_INLINE | SEALED_INLINE => Some((header, Some(bytes.0))),
            _ => None,
        }
    }

    /// Returns `content` if it has the digest of this frame.
    pub(crate) fn checked(&self, content: Vec<u8>) -> Result<Vec<u8>, Error> {
        if Digest::of(&FileBytes(&content)) == self.content {
            return Ok(content);
        }
        let what = format!("the content of the frame {}", self.id);
        Err(Error::integrity(what, "it does not have the digest of the frame"))
    }
}

piton_core::digest_references! {
    /// The digest of a frame's path, type, agent and basis.
    FrameId,
}

/// The hashed fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FramePreimage<'a> {
    path: &'a TreePath,
    frame_type: &'a FrameType,
    agent_id: &'a AgentId,
    basis: &'a Basis,
}

impl FrameId {
    /// Computes the id of a frame.
    pub fn of(path: &TreePath, frame_type: &FrameType, agent_id: &AgentId, basis: &Basis) -> Self {
        let identity = FramePreimage { path, frame_type, agent_id, basis };
        let bytes = canonical::encode(&identity).expect("it has texts and small numbers only");
        Self(Digest::of(&bytes))
    }
}

/// A small map of short keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

    /// True if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_from_before_there_were_seals_is_read() {
        let header = b"header";
        for inline in [None, Some(&b"content"[..])] {
            let mut old = Vec::new();
            put_bytes(&mut old, header);
            old.push(u8::from(inline.is_some()));
            old.extend_from_slice(inline.unwrap_or_default());
            for row in [old, Frame::encode(header, inline)] {
                assert_eq!(Frame::split(&row), Some((&header[..], inline)));
            }
        }
        let mut altered = Frame::encode(header, None);
        altered[8] ^= 1;
        assert_eq!(Frame::split(&altered), None);
        assert_eq!(Frame::split(&LOST), None);
    }
}
