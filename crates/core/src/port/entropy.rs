//! Randomness as a port.
//!
//! *Limitations*: [`SeededEntropy`] is predictable on purpose; nothing secret may come from it. If several threads
//! share one, each value is still returned once, but scheduling decides which thread gets it.

use std::sync::atomic::{AtomicU64, Ordering};

/// A source of unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Overwrites all of `bytes`. An adapter that cannot do so must panic: a predictable id or key is worse than none.
    fn fill(&self, bytes: &mut [u8]);
}

/// Entropy from a seed (`SplitMix64`).
#[derive(Debug)]
pub struct SeededEntropy(AtomicU64);

impl SeededEntropy {
    /// Creates a source that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        // One atomic addition hands out each state once, even to threads that ask at the same time.
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
    }
}
