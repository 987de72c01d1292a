//! The required output of a step and its checks: contracts over artifacts, criteria over notes.
//!
//! A contract is typed data ([`ContractDefinition`]): fields, [`Shape`]s and an example. The existing
//! contracts are a closed set in code ([`BuiltinContract`]). A compiled workflow embeds the definitions that it
//! uses, and artifacts are checked against those, never against the code.
//!
//! Criteria ([`criteria`]) look at the notes instead. Writing the right words is enough to meet them, so a
//! contract is preferred. Where a step has both, only the contract counts.
//!
//! *Invariants*: pure. Every check reports everything that is wrong, each with its position, the given value
//! and the required one.

mod builtin;
pub mod criteria;
mod definition;
mod pattern;
mod shape;
mod violation;

pub use builtin::BuiltinContract;
pub use definition::{Breach, ContractDefinition};
pub use shape::{Field, Presence, Shape};
pub use violation::{Violation, ViolationKind};
