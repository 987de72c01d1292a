//! Randomness as a port.

/// Where unpredictable bytes come from.
pub trait Entropy: Send + Sync {
    /// Overwrites all of `bytes`. An adapter that cannot do so must panic: an id or key that is not
    /// random is worse than none.
    fn fill(&self, bytes: &mut [u8]);
}
