//! Reports: coverage, stale frames, and their text.

mod gather;
mod text;

pub use gather::{ContextReport, Coverage, Remedy, StaleFrame};
