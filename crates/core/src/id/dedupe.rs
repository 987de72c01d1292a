//! Dedupe keys: what makes an append that is sent twice happen once.
//!
//! *Invariants*: a key says which logical event it is for, from stable ids only: no time, no text that a
//! person wrote (its digest instead), and never the id of the event itself, which is new at each try.

use std::borrow::Borrow;
use std::fmt::{self, Display, Write as _};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::{IdError, IdProblem};
use crate::bounds::DEDUPE_KEY_BYTES_MAX;
use crate::parse_visitor::ParseVisitor;

const FORM: &str = "kind:part:part";
const ALLOWED: &str = "a-z, 0-9, `_`, `-`, `:` and `>`";

/// A key of 1 to 256 characters out of `a-z`, `0-9`, `_`, `-`, `:` and `>`. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DedupeKey(Arc<str>);

impl DedupeKey {
    /// `kind:part:part`, with at least one part and none empty. An edge is one part, `from->to`.
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

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn join(kind: &str, parts: &[&dyn Display]) -> Result<String, IdProblem> {
        if kind.contains(':') || parts.is_empty() {
            return Err(IdProblem::Form { form: FORM });
        }
        if kind.is_empty() {
            return Err(IdProblem::Empty);
        }
        let mut key = kind.to_owned();
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
    if text.bytes().all(allowed) { Ok(()) } else { Err(IdProblem::Character { allowed: ALLOWED }) }
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

impl TryFrom<&str> for DedupeKey {
    type Error = IdError;

    fn try_from(text: &str) -> Result<Self, IdError> {
        text.parse()
    }
}

impl Borrow<str> for DedupeKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DedupeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Debug for DedupeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for DedupeKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DedupeKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(ParseVisitor::new("a dedupe key `kind:part:part`"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for DedupeKey {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DedupeKey".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^[a-z0-9_:>-]+$",
            "maxLength": DEDUPE_KEY_BYTES_MAX,
        })
    }
}
