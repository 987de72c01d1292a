//! The bytes of an artifact, written as text.
//!
//! *Invariants*: base64 with padding, in the only spelling that the bytes have. Every artifact is written
//! like this, JSON included: bytes are what is hashed, stored and compared, and an artifact is never parsed
//! in order to be transferred.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use piton_core::{Digest, FileBytes};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The bytes of an artifact.
#[derive(Clone, PartialEq, Eq)]
pub struct ArtifactBytes(Vec<u8>);

impl ArtifactBytes {
    /// Wraps `bytes` as an artifact.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes, owned.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }

    /// Returns the digest that events refer to the artifact by.
    pub fn digest(&self) -> Digest {
        Digest::of(&FileBytes(&self.0))
    }
}

impl fmt::Debug for ArtifactBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ArtifactBytes({} bytes)", self.0.len())
    }
}

impl Serialize for ArtifactBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for ArtifactBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // The decoder refuses other spellings, so the text follows from the bytes.
        let bytes = BASE64.decode(text);
        bytes.map(Self).map_err(|_| D::Error::custom("an artifact is base64 with padding"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ArtifactBytes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ArtifactBytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "contentEncoding": "base64" })
    }
}
