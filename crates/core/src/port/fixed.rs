//! Deterministic ports for tests and replays: the same seed and the same calls give the same values.
//!
//! *Limitations*: [`SeededEntropy`] is predictable on purpose; nothing secret may come from it. If several threads
//! share one, each value is still returned once, but scheduling decides which thread gets it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Clock, Entropy, Sleep, Timer, TimestampMs};

/// A clock that moves only on request.
#[derive(Debug)]
pub struct ManualClock {
    now_ms: AtomicU64,
    monotonic_ns: AtomicU64,
}

impl ManualClock {
    /// Creates a clock that shows `now`, with a monotonic time of zero.
    pub const fn new(now: TimestampMs) -> Self {
        Self { now_ms: AtomicU64::new(now.0), monotonic_ns: AtomicU64::new(0) }
    }

    /// Advances the time.
    pub fn advance(&self, by: Duration) {
        let ms = u64::try_from(by.as_millis()).expect("a test does not wait for aeons");
        let ns = u64::try_from(by.as_nanos()).expect("a test does not wait for aeons");
        self.now_ms.fetch_add(ms, Ordering::Relaxed);
        self.monotonic_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// Sets the time of day, also backwards; the monotonic time stays.
    pub fn set(&self, now: TimestampMs) {
        self.now_ms.store(now.0, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> TimestampMs {
        TimestampMs(self.now_ms.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_nanos(self.monotonic_ns.load(Ordering::Relaxed))
    }
}

impl Timer for ManualClock {
    /// Moves the clock instead of waiting.
    fn sleep(&self, duration: Duration) -> Sleep {
        self.advance(duration);
        Box::pin(std::future::ready(()))
    }
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
