//! The result of canonical encoding, and the only ways to obtain one.

use std::fmt;

use serde::Serialize;

use super::encoder::Encoder;
use super::error::CanonicalError;

/// Canonical JSON. There is no constructor from bytes: a value of this type proves that its bytes came out of the
/// encoder.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CanonicalBytes(Vec<u8>);

/// Encodes `value` as canonical JSON.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<CanonicalBytes, CanonicalError> {
    // Most encodings fit. Growing step by step would cost more than the space.
    let mut out = Vec::with_capacity(512);
    encode_into(value, &mut out)?;
    Ok(CanonicalBytes(out))
}

/// Appends the canonical JSON of `value` to `out`. On an error `out` is as it was before.
pub fn encode_into<T: Serialize + ?Sized>(
    value: &T,
    out: &mut Vec<u8>,
) -> Result<(), CanonicalError> {
    let start = out.len();
    let outcome = value.serialize(&mut Encoder::new(out));
    if outcome.is_err() {
        out.truncate(start);
    }
    outcome
}

#[expect(
    clippy::len_without_is_empty,
    reason = "the shortest JSON text has one byte, so the answer would always be false"
)]
impl CanonicalBytes {
    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the encoder writes whole UTF-8 strings and ASCII")
    }

    /// Converts into the owned bytes.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }

    /// Returns the number of bytes, which is at least one.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl AsRef<[u8]> for CanonicalBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for CanonicalBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl fmt::Debug for CanonicalBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
