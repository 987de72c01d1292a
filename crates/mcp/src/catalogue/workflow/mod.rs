//! The set `workflow`, which every connection has.

mod tool;
mod words;

pub use tool::{WorkflowTool, catalogue};
