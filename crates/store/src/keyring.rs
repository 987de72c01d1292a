//! The key ring as a value: two keys, what they sign, and how they change.
//!
//! Pure. Adapters decide where and how a ring is kept.
//!
//! Invariants: a key is 32 bytes, and a ring has a current key and at most one before it. The current key is always
//! tried first. Signatures are compared in constant time. Keys are never shown, not even by `Debug`.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use piton_core::port::Entropy;
use sha2::Sha256;

use crate::port::{KeyAge, Signature};

/// Minimum length of an accepted signature: 80 bits cannot be guessed against a live server.
const SIGNATURE_BYTES_MIN: usize = 10;

/// A signing key.
#[derive(Clone)]
pub(crate) struct SigningKey {
    pub(crate) bytes: [u8; 32],
    /// The state with which every signature begins: half of the work for a short message.
    begun: Hmac<Sha256>,
}

impl SigningKey {
    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        let begun = Hmac::new_from_slice(&bytes).expect("HMAC takes a key of any length");
        Self { bytes, begun }
    }

    fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        Self::new(bytes)
    }

    fn mac(&self, message: &[u8]) -> Hmac<Sha256> {
        self.begun.clone().chain_update(message)
    }

    fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        // Truncated signatures are allowed, so the minimum length is what makes guessing hopeless.
        signature.len() >= SIGNATURE_BYTES_MIN
            && self.mac(message).verify_truncated_left(signature).is_ok()
    }
}

impl PartialEq for SigningKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for SigningKey {}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(hidden)")
    }
}

/// The keys of one data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ring {
    pub(crate) current: SigningKey,
    pub(crate) previous: Option<SigningKey>,
}

impl Ring {
    /// Generates a first ring.
    pub(crate) fn generate(entropy: &dyn Entropy) -> Self {
        Self { current: SigningKey::generate(entropy), previous: None }
    }

    /// Returns the ring after a rotation, which drops the previous key.
    pub(crate) fn rotated(&self, entropy: &dyn Entropy) -> Self {
        Self { current: SigningKey::generate(entropy), previous: Some(self.current.clone()) }
    }

    /// Signs with the current key.
    pub(crate) fn sign(&self, message: &[u8]) -> Signature {
        Signature(self.current.mac(message).finalize().into_bytes().into())
    }

    /// Returns the key that made `signature` of `message`, if one did.
    pub(crate) fn verify(&self, message: &[u8], signature: &[u8]) -> Option<KeyAge> {
        self.first_that(|_, key| key.verifies(message, signature))
    }

    /// Returns the first key that `accepts`, in the order in which keys are tried.
    fn first_that(&self, mut accepts: impl FnMut(KeyAge, &SigningKey) -> bool) -> Option<KeyAge> {
        let current = (KeyAge::Current, Some(&self.current));
        let previous = (KeyAge::Previous, self.previous.as_ref());
        [current, previous]
            .into_iter()
            .find(|(age, key)| key.is_some_and(|key| accepts(*age, key)))
            .map(|(age, _)| age)
    }
}

#[cfg(test)]
mod tests {
    use piton_core::Digest;
    use piton_core::port::fixed::SeededEntropy;

    use super::*;

    fn try_keys(ring: &Ring, accepted: Option<KeyAge>) -> (Vec<KeyAge>, Option<KeyAge>) {
        let mut order = Vec::new();
        let found = ring.first_that(|age, _| {
            order.push(age);
            Some(age) == accepted
        });
        (order, found)
    }

    // shows: WR-232
    #[test]
    fn the_current_key_is_tried_before_the_previous_one() {
        use KeyAge::{Current, Previous};
        let entropy = SeededEntropy::new(1);
        let first = Ring::generate(&entropy);
        assert_eq!(try_keys(&first, None), (vec![Current], None));
        let second = first.rotated(&entropy);
        assert_eq!(try_keys(&second, Some(Current)), (vec![Current], Some(Current)));
        assert_eq!(try_keys(&second, Some(Previous)), (vec![Current, Previous], Some(Previous)));
        assert_eq!(try_keys(&second, None), (vec![Current, Previous], None));
    }

    // shows: WR-234
    #[test]
    fn a_rotation_makes_the_current_key_the_previous_one_and_forgets_the_one_before() {
        let entropy = SeededEntropy::new(2);
        let first = Ring::generate(&entropy);
        let second = first.clone().rotated(&entropy);
        let third = second.clone().rotated(&entropy);
        assert_eq!(second.previous.as_ref(), Some(&first.current));
        assert_eq!(third.previous.as_ref(), Some(&second.current));
        let mut keys = [&first.current.bytes, &second.current.bytes, &third.current.bytes].to_vec();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 3, "every current key is new");
    }

    #[test]
    fn signatures_are_hmac_sha256() {
        // RFC 4231 uses keys of other lengths; this vector is from Python's hmac module.
        let key: Vec<u8> = (0..32).collect();
        let ring = Ring { current: SigningKey::new(key.try_into().unwrap()), previous: None };
        let hex = Digest::from_bytes(ring.sign(b"piton").0).hex();
        assert_eq!(hex, "17d34a97f4151fa1d4f71ab8c9bb444d1c8103ef5b8ae7c8f032aba18c5c5525");
    }

    #[test]
    fn debug_output_shows_no_key() {
        let ring = Ring::generate(&SeededEntropy::new(3));
        let shown = format!("{ring:?}");
        assert_eq!(shown, "Ring { current: SigningKey(hidden), previous: None }");
    }
}
