//! The set `state`, which a connection has that is attached to a backpack.

mod tool;
mod words;

pub use tool::{BackpackTool, catalogue};
