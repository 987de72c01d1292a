//! The set `state`, for connections that are attached to a backpack.

mod tool;
mod words;

pub use tool::{BackpackTool, catalogue};
