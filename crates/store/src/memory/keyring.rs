//! A key ring in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::port::Entropy;

use crate::keyring::Ring;
use crate::port::{KeyAge, KeyRing, Signature, StoreFuture};

/// A key ring in memory. Clones share it.
#[derive(Clone)]
pub struct MemoryKeyRing {
    entropy: Arc<dyn Entropy>,
    ring: Arc<Mutex<Option<Ring>>>,
}

impl MemoryKeyRing {
    /// Creates a key ring without keys; the first signature generates one.
    pub fn new(entropy: Arc<dyn Entropy>) -> Self {
        Self { entropy, ring: Arc::default() }
    }

    fn ring(&self) -> MutexGuard<'_, Option<Ring>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyRing for MemoryKeyRing {
    fn sign_all<'a>(&'a self, messages: &'a [&'a [u8]]) -> StoreFuture<'a, Vec<Signature>> {
        Box::pin(async move {
            let mut ring = self.ring();
            let ring = ring.get_or_insert_with(|| Ring::generate(self.entropy.as_ref()));
            Ok(messages.iter().map(|message| ring.sign(message)).collect())
        })
    }

    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> StoreFuture<'a, Option<KeyAge>> {
        Box::pin(async move {
            Ok(self.ring().as_ref().and_then(|ring| ring.verify(message, signature)))
        })
    }

    fn rotate(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut ring = self.ring();
            *ring = Some(match ring.take() {
                Some(old) => old.rotated(self.entropy.as_ref()),
                None => Ring::generate(self.entropy.as_ref()),
            });
            Ok(())
        })
    }
}
