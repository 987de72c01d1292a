//! A value as a backpack holds it: canonical JSON, or where it went.
//!
//! *Invariants*: what is held never changes and is shared by everything that refers to it. Equal values have equal
//! texts. Nothing here prints a value: [`Debug`](fmt::Debug) shows its size.

use std::fmt;
use std::sync::Arc;

use piton_core::{Digest, canonical};
use serde::Serialize;

use crate::bounds::VALUE_BYTES_MAX;
use crate::error::Error;
use crate::text::Key;

/// A value, or its size and where it can be had.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// Its canonical JSON.
    Held(Arc<str>),
    /// Too large for the history.
    Large(Arc<Large>),
}

/// What the history says of a large value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Large {
    pub(crate) size: u64,
    /// Where the store has it, if there is a journal.
    pub(crate) digest: Option<Digest>,
}

impl Content {
    /// How many bytes of canonical JSON the value has.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Held(text) => text.len() as u64,
            Self::Large(large) => large.size,
        }
    }

    pub(crate) fn held(&self) -> Option<&Arc<str>> {
        match self {
            Self::Held(text) => Some(text),
            Self::Large(_) => None,
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.held().is_some() { "held" } else { "large" };
        write!(formatter, "{kind}, {} bytes", self.size())
    }
}

/// The canonical JSON of a value that `key` is to have.
pub(crate) fn encode<T: Serialize + ?Sized>(key: &Key, value: &T) -> Result<Arc<str>, Error> {
    let encoded = canonical::encode(value)
        .map_err(|problem| Error::BadValue { key: key.clone(), problem: Box::new(problem) })?;
    if encoded.len() > VALUE_BYTES_MAX {
        return Err(Error::ValueTooLarge { key: key.clone(), measured: encoded.len() });
    }
    Ok(encoded.as_str().into())
}
