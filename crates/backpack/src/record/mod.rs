//! The stored form of items and commits, in the JSON form of a backpack and in its journal.
//!
//! *Invariants*: a record contains only what a commit brought in. Everything that follows from earlier records comes
//! from replaying them: versions, previous values and the items that were read. A replay that does not fit is an error,
//! never a guess.

mod records;
mod replay;
pub(crate) mod weight;

pub(crate) use records::{CommitRecord, ItemRecord, QuarantinedRecord, ValueRecord};
pub(crate) use replay::Replay;
