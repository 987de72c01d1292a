//! SHA-256 digests, written `sha256:<64 lowercase hex digits>`: the only hash in durable truth.
//!
//! *Invariants*: a [`Digest`] is computed from bytes with an origin that is known by type. Canonical JSON and raw file
//! bytes qualify. A string or a loose JSON value does not, because nothing says how the other side would have written
//! it.
//!
//! ```compile_fail,E0277
//! // A string has no canonical form.
//! let _ = piton_core::Digest::of("some text");
//! ```
//!
//! ```compile_fail,E0277
//! // A JSON value has many encodings; encode it first.
//! let value = serde_json::json!({"b": 1, "a": 2});
//! let _ = piton_core::Digest::of(&value);
//! ```
//!
//! ```compile_fail,E0277
//! // Nothing else qualifies either.
//! let _ = piton_core::Digest::of(&[0_u8; 3][..]);
//! ```
//!
//! ```compile_fail,E0277
//! // And nobody else says what does.
//! struct Mine;
//! impl piton_core::digest::Digestible for Mine {}
//! ```
//!
//! ```
//! let value = serde_json::json!({"b": 1, "a": 2});
//! let digest = piton_core::Digest::of(&piton_core::canonical::encode(&value)?);
//! assert!(digest.to_string().starts_with("sha256:"));
//! # Ok::<(), piton_core::CanonicalError>(())
//! ```
// shows: WR-005

use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::canonical::CanonicalBytes;
use crate::text_form::lent_text;

const PREFIX: &str = "sha256:";
const HEX_LEN: usize = 64;
const TEXT_LEN: usize = PREFIX.len() + HEX_LEN;

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Bytes that have no other form: of a file or a part of one, as they are on disk, or of a path or a name.
#[derive(Clone, Copy, Debug)]
pub struct FileBytes<'a>(pub &'a [u8]);

mod sealed {
    /// The bytes that are hashed. Private, so that no other crate can add an artefact.
    pub trait Artefact {
        fn hashed_bytes(&self) -> &[u8];
    }
}

/// Types that may be hashed. Sealed: [`CanonicalBytes`] and [`FileBytes`] only.
pub trait Digestible: sealed::Artefact {}

impl Digestible for CanonicalBytes {}
impl sealed::Artefact for CanonicalBytes {
    fn hashed_bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Digestible for FileBytes<'_> {}
impl sealed::Artefact for FileBytes<'_> {
    fn hashed_bytes(&self) -> &[u8] {
        self.0
    }
}

/// Reason that a text is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DigestError {
    #[error("a digest starts with `sha256:`")]
    Prefix,
    #[error("a digest has 64 hex digits after `sha256:`")]
    Length,
    #[error("the digits of a digest are lowercase hex (0-9, a-f)")]
    Character,
}

impl Digest {
    /// Computes the digest of the bytes of an artefact.
    pub fn of<T: Digestible + ?Sized>(artefact: &T) -> Self {
        Self(Sha256::digest(artefact.hashed_bytes()).into())
    }

    /// Creates a digest from its 32 bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the 64 lowercase hex digits without the prefix, for example for a file name.
    pub fn hex(&self) -> String {
        self.with_text(|text| text[PREFIX.len()..].to_owned())
    }

    /// Passes the text form to `lend` without allocating.
    fn with_text<R>(&self, lend: impl FnOnce(&str) -> R) -> R {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; TEXT_LEN];
        text[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        for (pair, byte) in text[PREFIX.len()..].chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 0xf)];
        }
        lend(std::str::from_utf8(&text).expect("the prefix and hex digits are ASCII"))
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let digits = text.strip_prefix(PREFIX).ok_or(DigestError::Prefix)?;
        if digits.len() != HEX_LEN {
            return Err(DigestError::Length);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            // Uppercase digits are refused, so that a digest has exactly one text.
            *byte = hex_value(pair[0])? << 4 | hex_value(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn hex_value(digit: u8) -> Result<u8, DigestError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(DigestError::Character),
    }
}

lent_text!(Digest, "a digest such as `sha256:<64 hex digits>`");
crate::string_schema!(Digest, { "pattern": "^sha256:[0-9a-f]{64}$" });

/// Computes the digest of file bytes that arrive in pieces.
#[derive(Clone, Debug, Default)]
pub struct DigestBuilder(Sha256);

impl DigestBuilder {
    /// Creates a builder that has seen no bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next bytes of the file.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of everything added. It equals [`Digest::of`] over the [`FileBytes`] in one piece.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}
