//! The key ring: signatures for tokens.

use super::StoreFuture;

/// An HMAC-SHA256 signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature(pub [u8; 32]);

/// The key that made a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAge {
    Current,
    /// The key before the current one.
    Previous,
}

/// Two signing keys: the current one, and the one before it until the next rotation.
///
/// Promise:
/// - Keys are 32 random bytes and never leave the adapter.
/// - They change only by `rotate`; no clock is involved. The next call sees a rotation by another process.
/// - Comparison takes the same time wherever the signatures differ.
pub trait KeyRing: Send + Sync {
    /// Signs with the current key. Generates a key ring if there is none.
    fn sign<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, Signature> {
        Box::pin(async move {
            let signatures = self.sign_all(&[message]).await?;
            Ok(signatures.into_iter().next().expect("there is one signature for each message"))
        })
    }

    /// Signs each of `messages` with the key that is current now, the same for all of them.
    fn sign_all<'a>(&'a self, messages: &'a [&'a [u8]]) -> StoreFuture<'a, Vec<Signature>>;

    /// Returns the key that made `signature` of `message`: the current one is tried first, then the previous. `None` if
    /// neither did.
    ///
    /// `signature` may be a leading part of the 32 bytes, at least 10 of them.
    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> StoreFuture<'a, Option<KeyAge>>;

    /// Makes the current key the previous one, and generates a new current key. Signatures of the old previous key are
    /// worthless from then on.
    fn rotate(&self) -> StoreFuture<'_, ()>;

    /// Replaces keys that cannot be read with new ones, and keeps the old data. Returns its location, or `None` if the
    /// keys can be read: those are never replaced.
    fn repair(&self) -> StoreFuture<'_, Option<String>> {
        // Keys that are not kept on a medium cannot be damaged by one.
        Box::pin(async { Ok(None) })
    }
}
