//! Randomness as a port.

/// A source of unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Overwrites all of `bytes`. An adapter that cannot do so must panic: a predictable id or key is worse than none.
    fn fill(&self, bytes: &mut [u8]);
}
