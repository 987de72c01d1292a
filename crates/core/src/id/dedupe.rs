//! Dedupe keys, which make an append that is sent twice happen once.
//!
//! *Invariants*: a key identifies a logical event by stable ids only. It contains no time, no text that a person wrote
//! (its digest instead), and never the id of the event itself, which is new at each try.

use std::fmt::{Display, Write as _};
use std::str::FromStr;
use std::sync::Arc;

use super::error::{IdError, IdProblem};
use crate::bounds::DEDUPE_KEY_BYTES_MAX;

const FORM: &str = "kind:part:part";
/// Initial capacity of a key: four ids and the words around them.
const KEY_BYTES: usize = 192; // tidy: number, a guess that costs nothing if it is wrong
const ALLOWED: &str = "a-z, 0-9, `_`, `-`, `:` and `>`";

/// A key of 1 to 256 characters out of `a-z`, `0-9`, `_`, `-`, `:` and `>`. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DedupeKey(Arc<str>);

impl DedupeKey {
    /// Builds `kind:part:part`, with at least one part and none empty. An edge is one part, `from->to`.
    ///
    /// ```
    /// use piton_core::{DedupeKey, NodeId};
    /// let (from, to) = (NodeId::from_bytes([0; 16]), NodeId::from_bytes([1; 16]));
    /// let key = DedupeKey::new("edge_created", &[&format_args!("{from}->{to}")])?;
    /// assert!(key.as_str().starts_with("edge_created:node_0000"));
    /// # Ok::<(), piton_core::IdError>(())
    /// ```
    pub fn new(kind: &str, parts: &[&dyn Display]) -> Result<Self, IdError> {
        Self::join(kind, parts)
            .map(|key| Self(key.into()))
            .map_err(|problem| problem.of("DedupeKey"))
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn join(kind: &str, parts: &[&dyn Display]) -> Result<String, IdProblem> {
        // A colon in the kind would make two different lists of parts spell the same key.
        if kind.contains(':') || parts.is_empty() {
            return Err(IdProblem::Form { form: FORM });
        }
        if kind.is_empty() {
            return Err(IdProblem::Empty);
        }
        // Most keys fit. Growing step by step would cost more than the space.
        let mut key = String::with_capacity(KEY_BYTES);
        key.push_str(kind);
        for part in parts {
            key.push(':');
            let start = key.len();
            write!(key, "{part}").expect("writing to a string does not fail");
            if key.len() == start {
                return Err(IdProblem::Empty);
            }
        }
        check(&key)?;
        Ok(key)
    }
}

fn check(text: &str) -> Result<(), IdProblem> {
    if text.is_empty() {
        return Err(IdProblem::Empty);
    }
    if text.len() > DEDUPE_KEY_BYTES_MAX {
        return Err(IdProblem::TooLong { max_bytes: DEDUPE_KEY_BYTES_MAX });
    }
    let allowed = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b':' | b'>');
    // Checks all bytes, which takes fewer steps than stopping at the first wrong one.
    let are_allowed = text.bytes().fold(true, |so_far, byte| so_far & allowed(byte));
    if are_allowed { Ok(()) } else { Err(IdProblem::Character { allowed: ALLOWED }) }
}

impl FromStr for DedupeKey {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match check(text) {
            Ok(()) => Ok(Self(text.into())),
            Err(problem) => Err(problem.of("DedupeKey")),
        }
    }
}

crate::shown_as_text!(DedupeKey);
crate::text_form!(
    DedupeKey,
    "a dedupe key `kind:part:part`",
    "^[a-z0-9_:>-]+$",
    DEDUPE_KEY_BYTES_MAX
);
