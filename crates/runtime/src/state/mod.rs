//! Backpacks for whoever calls.
//!
//! * `look` (feature `flow`): what is in them, as their owner reads it.

#[cfg(feature = "flow")]
pub mod look;
