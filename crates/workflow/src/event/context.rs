//! `context_set`: the context of a run was set.
//!
//! *Invariants*: a context is a JSON object of at most 256 KiB in canonical form, and is held as that form
//! reads: a number that was given as `1.0` is `1` before and after it was stored. No object in it, at any
//! depth, has a key that changes the object itself in JavaScript.

use piton_core::{ContextId, canonical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::payload::PayloadError;
use crate::bounds::CONTEXT_BYTES_MAX;
use crate::run::ContextSource;

const RESERVED_KEYS: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// The context of a run was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextSet {
    /// Names the attempt that set it.
    pub context_id: ContextId,
    /// The whole context, not what changed.
    pub context: RunContext,
    /// How it came to be.
    pub source: ContextSource,
}

/// The context of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Map<String, Value>")]
pub struct RunContext(Map<String, Value>);

impl RunContext {
    /// Checks an object and brings it into canonical form.
    pub fn new(object: &Map<String, Value>) -> Result<Self, PayloadError> {
        // In an event the context is two levels deep, and must not nest too deeply there either. The two
        // outer lists stand for those levels; their brackets are cut off again.
        let nested = canonical::encode(&[[object]])?;
        let bytes = &nested.as_bytes()[2..nested.len() - 2];
        if bytes.len() > CONTEXT_BYTES_MAX {
            return Err(PayloadError::ContextTooLarge { measured_bytes: bytes.len() });
        }
        // The whole tree is searched, since a nested object would be changed in the same way.
        if let Some(key) = reserved_in(object) {
            return Err(PayloadError::ReservedKey { key });
        }
        // Reading the canonical bytes back makes the value in memory equal to the one that a later process
        // will read.
        Ok(Self(serde_json::from_slice(bytes).expect("canonical JSON can be read back")))
    }

    /// Returns the object.
    pub const fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }
}

fn reserved_in(object: &Map<String, Value>) -> Option<&'static str> {
    let own = RESERVED_KEYS.into_iter().find(|key| object.contains_key(*key));
    own.or_else(|| object.values().find_map(reserved_below))
}

fn reserved_below(value: &Value) -> Option<&'static str> {
    match value {
        Value::Object(object) => reserved_in(object),
        Value::Array(items) => items.iter().find_map(reserved_below),
        _ => None,
    }
}

impl TryFrom<Map<String, Value>> for RunContext {
    type Error = PayloadError;

    fn try_from(object: Map<String, Value>) -> Result<Self, PayloadError> {
        Self::new(&object)
    }
}
