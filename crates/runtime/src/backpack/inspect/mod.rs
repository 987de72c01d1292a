//! Inspection of backpacks as their owner: every commit, any past state, differences, and the quarantine.
//!
//! *Invariants*: apart from a repair, nothing here takes a lease or writes, so inspection never delays a run in
//! progress. A protected value is shown only on explicit request. Every answer is bounded and counts what it leaves
//! out.

mod backpacks;
mod commits;
mod differences;
mod items;
mod listing;
mod maintenance;
mod point;
mod reference;
mod related;
mod reply;
mod search;
mod value;
mod written;

pub use backpacks::{Backpacks, LogFilter, Reveal};
pub use maintenance::BackpackSoundness;
pub use point::PointReference;
pub use reference::BackpackReference;
pub(crate) use related::{BackpackMoment, Branch};

pub use reply::{
    BackpackBlame, BackpackDiff, BackpackLine, BackpackList, BackpackLog, BackpackState, BlameLine,
    ChangeShown, CommitLine, CommitShown, DiffSide, Hidden, ItemLine, ItemShown, QuarantineLine,
    QuarantineList, RunLine, TroubledBackpack, ValueShown,
};
