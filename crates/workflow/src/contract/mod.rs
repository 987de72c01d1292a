//! What a step must hand in, and how it is checked: contracts over artifacts, criteria over notes.
//!
//! A contract is typed data ([`ContractDefinition`]): fields, [`Shape`]s and an example. The ones that exist
//! are a closed set in code ([`ContractPack`]). A compiled workflow embeds the definitions that it uses, and
//! artifacts are checked against those, never against the code.
//!
//! Criteria ([`criteria`]) look at the notes instead. They can be met by writing the right words, so a
//! contract is preferred, and where a step has both the contract alone counts.
//!
//! *Invariants*: pure. Every check reports everything that is wrong, each with its place, what was given
//! and what is required.

mod artifact_path;
pub mod criteria;
mod definition;
mod pack;
mod pattern;
mod requirement;
mod schema;
mod shape;
mod violation;

pub use definition::{Breach, ContractDefinition};
pub use pack::ContractPack;
pub use shape::{Field, Presence, Shape};
pub use violation::{Violation, ViolationKind};
