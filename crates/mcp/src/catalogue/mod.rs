//! The tools as agents read them.
//!
//! *Invariants*: schemas come from the types of requests and replies, never from here. A tool takes an object and
//! refuses every field that its schema does not have.

mod schema;
mod tool;
mod words;

pub use schema::{Object, input, output};
pub use tool::{Hints, ToolName};
pub use words::INSTRUCTIONS;
