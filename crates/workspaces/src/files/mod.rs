//! The file operations of one agent: each tool is a request, a check by the router, and an answer.
//!
//! *Invariants*: a Store is asked after the router permitted it, and never otherwise. A refusal is an
//! answer, not a failure of the protocol.

mod change;
mod copying;
mod deleting;
mod editing;
mod globbing;
mod grepping;
mod listing;
mod reading;
mod replacing;
mod searching;
mod service;
mod stating;
mod writing;

pub use replacing::{ReplaceProblem, Replaced, replace};
pub use service::{Actor, Files};
