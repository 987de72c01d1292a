//! Keys and secrets: 128 random bits as text. Only digests of them are kept.
//!
//! *Invariants*: a secret is never part of a `Debug` text or of an error. Comparisons take the same time wherever the
//! first difference is.

use std::fmt;
use std::hint::black_box;

use piton_core::port::Entropy;
use piton_core::{Digest, FileBytes};

/// Bytes of a secret: as many as nobody guesses.
const BYTES: usize = 16;

/// A key or a secret, in lowercase hex digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl Secret {
    /// Creates a secret.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; BYTES];
        entropy.fill(&mut bytes);
        Self(format!("{:032x}", u128::from_be_bytes(bytes)))
    }

    /// Reads a secret that somebody sent; `None` if the text cannot be one.
    pub fn read(text: &str) -> Option<Self> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == BYTES * 2 && text.bytes().all(is_hex)).then(|| Self(text.to_owned()))
    }

    /// Returns the text, to be handed to the one who may know it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the digest, which does not reveal the secret.
    pub fn digest(&self) -> Digest {
        Digest::of(&FileBytes(self.0.as_bytes()))
    }

    /// True if `digest` is that of this secret.
    pub fn is(&self, digest: &Digest) -> bool {
        let (own, other) = (self.digest().to_string(), digest.to_string());
        // Every difference is collected instead of stopping at the first; `black_box` keeps the compiler from doing so.
        let difference =
            own.bytes().zip(other.bytes()).fold(0, |all, (left, right)| all | (left ^ right));
        black_box(difference) == 0
    }
}

#[cfg(test)]
mod tests {
    use piton_core::port::fixed::SeededEntropy;

    use super::Secret;

    #[test]
    fn a_secret_is_recognised_by_its_digest_and_never_shown() {
        let entropy = SeededEntropy::new(7);
        let (one, other) = (Secret::mint(&entropy), Secret::mint(&entropy));
        assert!(one.is(&one.digest()) && !one.is(&other.digest()));
        assert_eq!(Secret::read(one.reveal()), Some(one.clone()));
        assert_eq!(format!("{one:?}"), "Secret(…)");
        assert_eq!(one.reveal().len(), 32, "128 bits");
    }

    #[test]
    fn a_text_of_another_form_is_no_secret() {
        let upper = "A".repeat(32);
        for text in ["", "00", &"0".repeat(31), &"0".repeat(33), &"g".repeat(32), &upper] {
            assert_eq!(Secret::read(text), None, "{text}");
        }
    }
}
