//! A frame as it is recorded: one row of the table.
//!
//! *Invariants*: a row that is handed out gives its id when it is hashed, and its seal: not all of the header is part of
//! the id. The content is checked against its digest by whoever reads it. Rows from before there were seals have none.

use piton_core::{Digest, FileBytes, TimestampMs, canonical};
use serde::{Deserialize, Serialize};

use super::{Basis, FrameId, Metadata};
use crate::{
    Error,
    rows::bytes::{Bytes, put_bytes, seal},
    tree::{TreeNodeId, TreePath},
    word::{AgentId, FrameType},
};

/// The byte between the header of a row and the content: whether the content follows, and whether a seal does before it.
const PLAIN: u8 = 0;
const PLAIN_INLINE: u8 = 1;
const SEALED: u8 = 2;
const SEALED_INLINE: u8 = 3;

/// The form over which the seal of a header is made.
const SEAL: &str = "frame_row";

/// The row of a place whose frame a repair took out of use: the length of a header that no row has.
pub(crate) const LOST: [u8; 8] = [u8::MAX; 8];

/// A frame without its content.
#[expect(clippy::struct_field_names, reason = "a frame type is called that everywhere")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Frame {
    /// Its id.
    pub id: FrameId,
    /// Where it is.
    pub path: TreePath,
    /// The node that was there when it was made.
    pub node_id: TreeNodeId,
    /// What it says about the node.
    pub frame_type: FrameType,
    /// Whose it is.
    pub agent_id: AgentId,
    /// What it was made from.
    pub basis: Basis,
    /// The digest of its content.
    pub content: Digest,
    /// The size of its content.
    pub bytes: u64,
    /// What else is said about it.
    pub metadata: Metadata,
    /// Its number among everything that was appended.
    pub sequence: u64,
    /// Its place among the frames of its path, from 0.
    pub index: u64,
    /// When it was made; for people.
    pub created_at_ms: TimestampMs,
}

impl Frame {
    /// What its row begins with.
    pub(crate) fn header(&self) -> Vec<u8> {
        canonical::encode(self).expect("it has texts and small numbers only").into_vec()
    }

    /// Its row: the header and its seal, then the content if it lies here.
    pub(crate) fn encode(header: &[u8], inline: Option<&[u8]>) -> Vec<u8> {
        let mut row = Vec::with_capacity(header.len() + 17 + inline.map_or(0, <[u8]>::len));
        put_bytes(&mut row, header);
        row.push(if inline.is_some() { SEALED_INLINE } else { SEALED });
        row.extend_from_slice(&seal(SEAL, header));
        row.extend_from_slice(inline.unwrap_or_default());
        row
    }

    /// Reads a row: the frame, and the content if it lies here. The id is checked.
    pub(crate) fn decode(row: &[u8]) -> Result<(Self, Option<Vec<u8>>), Error> {
        let damaged = |detail: &str| Error::integrity("a frame", detail);
        let (header, inline) = Self::split(row).ok_or_else(|| damaged("its row was changed"))?;
        let frame: Self =
            serde_json::from_slice(header).map_err(|error| damaged(&error.to_string()))?;
        if frame.id != FrameId::of(&frame.path, &frame.frame_type, &frame.agent_id, &frame.basis) {
            let what = format!("the frame {}", frame.id);
            return Err(Error::integrity(what, "its row does not give this id"));
        }
        Ok((frame, inline.map(<[u8]>::to_vec)))
    }

    /// The header and the content of a row.
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

    /// `content`, if it is the one of this frame.
    pub(crate) fn checked(&self, content: Vec<u8>) -> Result<Vec<u8>, Error> {
        if Digest::of(&FileBytes(&content)) == self.content {
            return Ok(content);
        }
        let what = format!("the content of the frame {}", self.id);
        Err(Error::integrity(what, "it does not have the digest of the frame"))
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
