//! The effects that pure code may request, as traits: time, waiting, entropy and notices.
//!
//! *Invariants*: a port is only a promise; its implementations live in the crates that perform effects. Every port can
//! be shared between threads. The ones in [`fixed`] are deterministic and pure.

mod clock;
mod entropy;
pub mod fixed;
mod timer;
mod trace;

pub use clock::{Clock, TimestampMs};
pub use entropy::Entropy;
pub use timer::{Sleep, Timer};
pub use trace::{NoTrace, Notice, Trace};
