//! The bytes of an artifact, written as text.
//!
//! *Invariants*: base64 with padding, in the one way that the bytes have. Every artifact is written like this,
//! JSON too: what is hashed, stored and compared is bytes, and no artifact is read in order to be carried.

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
    /// These bytes.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, owned.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }

    /// What events name it by.
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
