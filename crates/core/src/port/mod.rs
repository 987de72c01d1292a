//! The effects that pure code may request, as traits: time, waiting, entropy and notices.
//!
//! *Invariants*: a port is only a promise; its implementations live in the crates that perform effects. Every port can
//! be shared between threads. The ones in [`fixed`] are deterministic and pure.

mod clock;
mod entropy;
mod trace;

pub use clock::{Clock, Sleep, Timer, TimestampMs};
pub use entropy::Entropy;
pub use trace::{NoTrace, Notice, Trace};

/// Deterministic ports for tests and replays: the same seed and the same calls give the same values.
pub mod fixed {
    pub use super::clock::ManualClock;
    pub use super::entropy::SeededEntropy;
}
