//! The set `context`, limited to what the role of the connection's agent allows.

mod tool;
mod words;

pub use tool::{ContextTool, catalogue};
