//! The promise of [`Journal`](crate::port::Journal).

mod reading;
mod suite;
mod writing;

pub use suite::{TwoProcesses, append, suite};
