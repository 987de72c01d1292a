//! The set `context`, which a connection has as far as the role of its agent goes.

mod tool;
mod words;

pub use tool::{ContextTool, catalogue};
