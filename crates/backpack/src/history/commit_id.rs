//! Commit ids, which combine the number of the commit with a mark of its writer.
//!
//! *Invariants*: the ids of one backpack sort in commit order. A writer that opens a backpack again draws a new mark,
//! so that a commit lost in a crash differs from the one that takes its number.

use std::fmt;
use std::str::FromStr;

use piton_core::{Entropy, EventId};

/// Length of the writer's mark in bytes.
const WRITER_BYTES: usize = 10;
const NUMBER_DIGITS: usize = 12;
const WRITER_DIGITS: usize = 2 * WRITER_BYTES;
const TEXT_LEN: usize = 1 + NUMBER_DIGITS + 1 + WRITER_DIGITS;

/// The id of a commit, written as `c<number>-<writer>` in hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId([u8; 16]);

/// The mark of a writer that hands out commit ids: 80 random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriterMark([u8; WRITER_BYTES]);

/// The error for a text that is not a commit id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a commit id is `c`, 12 hex digits, `-` and 20 hex digits")]
pub struct NotACommitId;

impl WriterMark {
    pub(crate) fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; WRITER_BYTES];
        entropy.fill(&mut bytes);
        Self(bytes)
    }
}

impl CommitId {
    pub(crate) fn new(number: u64, WriterMark(writer): WriterMark) -> Self {
        let mut bytes = [0; 16];
        // The number takes 48 bits, big-endian and in front, so that comparing ids as bytes compares commit numbers.
        bytes[..6].copy_from_slice(&number.to_be_bytes()[2..]);
        bytes[6..].copy_from_slice(&writer);
        Self(bytes)
    }

    /// Returns the number of the commit in its backpack, starting at 0.
    pub fn number(self) -> u64 {
        let mut bytes = [0; 8];
        bytes[2..].copy_from_slice(&self.0[..6]);
        u64::from_be_bytes(bytes)
    }

    /// Returns the same bits as the id of a journal event.
    pub(crate) fn event_id(self) -> EventId {
        EventId::from_bytes(self.0)
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'-'; TEXT_LEN];
        text[0] = b'c';
        for (place, byte) in self.0.iter().enumerate() {
            // Bytes of the writer's mark stand one character further right, after the `-`.
            let at = 1 + 2 * place + usize::from(place >= NUMBER_DIGITS / 2);
            text[at] = DIGITS[usize::from(byte >> 4)];
            text[at + 1] = DIGITS[usize::from(byte & 0xf)];
        }
        formatter.pad(std::str::from_utf8(&text).expect("hex digits are ASCII"))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for CommitId {
    type Err = NotACommitId;

    fn from_str(text: &str) -> Result<Self, NotACommitId> {
        let digits = text.strip_prefix('c').ok_or(NotACommitId)?;
        let (number, writer) = digits.split_once('-').ok_or(NotACommitId)?;
        if (number.len(), writer.len()) != (NUMBER_DIGITS, WRITER_DIGITS) {
            return Err(NotACommitId);
        }
        let mut bytes = [0; 16];
        let pairs = number.as_bytes().chunks_exact(2).chain(writer.as_bytes().chunks_exact(2));
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<&str> for CommitId {
    type Error = NotACommitId;

    fn try_from(text: &str) -> Result<Self, NotACommitId> {
        text.parse()
    }
}

impl serde::Serialize for CommitId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for CommitId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

piton_core::string_schema!(CommitId, { "pattern": "^c[0-9a-f]{12}-[0-9a-f]{20}$" });

fn digit(byte: u8) -> Result<u8, NotACommitId> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        _ => Err(NotACommitId),
    }
}
