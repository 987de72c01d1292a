//! The value of an item: canonical JSON, or a reference to it.
//!
//! *Invariants*: held text never changes and is shared by everything that refers to it. Equal values have equal texts.
//! Nothing here prints a value: [`Debug`](fmt::Debug) shows its size.

use std::fmt;
use std::sync::Arc;

use piton_core::{Digest, canonical};
use serde::Serialize;

use crate::bounds::{VALUE_BYTES_MAX, VALUE_DEPTH_MAX};
use crate::error::Error;
use crate::text::Key;

/// A value, or its size and its location.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum ItemContent {
    /// The value in canonical JSON.
    Held(Arc<str>),
    /// Too large for the history. `BackpackCore` keeps the value of an item in use.
    Large(Arc<Large>),
    /// Too large for the history, and the store cannot return it.
    Damaged(Arc<Large>),
}

/// The part of a large value that the history keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Large {
    pub(crate) size: u64,
    /// The digest of its blob, if there is a journal.
    pub(crate) digest: Option<Digest>,
}

impl ItemContent {
    /// Returns the size of the value in bytes of canonical JSON.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Held(text) => text.len() as u64,
            Self::Large(large) | Self::Damaged(large) => large.size,
        }
    }

    pub(crate) fn held(&self) -> Option<&Arc<str>> {
        match self {
            Self::Held(text) => Some(text),
            Self::Large(_) | Self::Damaged(_) => None,
        }
    }

    /// Returns the digest of a value that is not held here.
    pub(crate) fn digest(&self) -> Option<Digest> {
        match self {
            Self::Held(_) => None,
            Self::Large(large) | Self::Damaged(large) => large.digest,
        }
    }
}

impl fmt::Debug for ItemContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.held().is_some() { "held" } else { "large" };
        write!(formatter, "{kind}, {} bytes", self.size())
    }
}

/// Encodes a value for `key` as canonical JSON and checks its limits.
pub(crate) fn encode<T: Serialize + ?Sized>(key: &Key, value: &T) -> Result<Arc<str>, Error> {
    let encoded = canonical::encode(value)
        .map_err(|problem| Error::BadValue { key: key.clone(), problem: Box::new(problem) })?;
    if encoded.len() > VALUE_BYTES_MAX {
        return Err(Error::ValueTooLarge { key: key.clone(), measured: encoded.len() });
    }
    if is_too_deep(encoded.as_bytes()) {
        return Err(Error::TooDeep { key: key.clone() });
    }
    Ok(encoded.as_str().into())
}

/// True if arrays and objects nest too deeply in a canonical text.
fn is_too_deep(text: &[u8]) -> bool {
    // Every level takes at least two bytes, so a short text cannot nest too deeply.
    if text.len() <= 2 * VALUE_DEPTH_MAX {
        return false;
    }
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > VALUE_DEPTH_MAX {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth -= 1,
            _ => {}
        }
    }
    false
}
