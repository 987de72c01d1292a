//! Items and commits as they are written: in the JSON form of a backpack and in its journal.
//!
//! *Invariants*: a record says what a commit brought, and not what can be worked out from those before it: versions,
//! previous values and what was read come from replaying. A replay that does not work out is an error, never a guess.

mod commit;
mod item;
mod quarantined;
mod replay;
mod value;
pub(crate) mod weight;

pub(crate) use commit::CommitRecord;
pub(crate) use item::ItemRecord;
pub(crate) use quarantined::QuarantinedRecord;
pub(crate) use replay::Replay;
pub(crate) use value::ValueRecord;
