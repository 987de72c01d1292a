//! The file operations of one agent: each tool is a request, a check by the router, and an answer.
//!
//! *Invariants*: a Store is called only after the router permitted it. A refusal is an answer, not a failure of the
//! protocol.

mod change;
mod copy;
mod edit;
mod glob;
mod grep;
mod ls;
mod read;
mod search;
mod service;
mod write;

pub use edit::{ReplaceProblem, Replaced, replace};
pub use service::Files;
