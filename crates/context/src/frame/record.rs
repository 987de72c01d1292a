//! A frame as it is recorded: one row of the table.
//!
//! *Invariants*: a row that is handed out gives its id when it is hashed. The content is checked against its digest by
//! whoever reads it.

use piton_core::{Digest, FileBytes, TimestampMs, canonical};
use serde::{Deserialize, Serialize};

use super::{Basis, FrameId, Metadata};
use crate::{
    Error,
    stored::bytes::{Bytes, put_bytes},
    tree::{TreeNodeId, TreePath},
    word::{AgentId, FrameType},
};

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

    /// Its row: the header, then the content if it lies here.
    pub(crate) fn encode(header: &[u8], inline: Option<&[u8]>) -> Vec<u8> {
        let mut row = Vec::with_capacity(header.len() + 9 + inline.map_or(0, <[u8]>::len));
        put_bytes(&mut row, header);
        row.push(u8::from(inline.is_some()));
        row.extend_from_slice(inline.unwrap_or_default());
        row
    }

    /// Reads a row: the frame, and the content if it lies here. The id is checked.
    pub(crate) fn decode(row: &[u8]) -> Result<(Self, Option<Vec<u8>>), Error> {
        let damaged = |detail: &str| Error::integrity("a frame", detail);
        let (header, inline) = Self::split(row).ok_or_else(|| damaged("its row is cut"))?;
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
        match bytes.array()? {
            [0] => bytes.end((header, None)),
            [1] => Some((header, Some(bytes.0))),
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
