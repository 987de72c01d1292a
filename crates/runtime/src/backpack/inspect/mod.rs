//! Inspection of backpacks as their owner: every commit, any past state, differences, and the quarantine.
//!
//! *Invariants*: apart from a repair, nothing here takes a lease or writes, so inspection never delays a run in
//! progress. A protected value is shown only on explicit request. Every answer is bounded and counts what it leaves
//! out.

mod backpacks;
mod commits;
mod differences;
mod items;
mod maintenance;
mod reference;
mod related;

pub use backpacks::{BackpackLine, BackpackList, Backpacks, Reveal, RunLine, TroubledBackpack};
pub use commits::{BackpackBlame, BackpackLog, BlameLine, CommitLine, CommitShown, LogFilter};
pub use differences::{BackpackDiff, ChangeShown, DiffSide};
pub use items::{
    BackpackState, Hidden, ItemLine, ItemShown, QuarantineLine, QuarantineList, ValueShown,
};
pub use maintenance::BackpackSoundness;
pub use reference::{BackpackReference, PointReference};
