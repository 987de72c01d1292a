//! What there is: coverage, stale frames, and their words.

mod gather;
mod text;

pub use gather::{ContextReport, Coverage, Remedy, StaleFrame};
