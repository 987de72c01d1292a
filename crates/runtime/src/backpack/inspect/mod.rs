//! Looking at backpacks as their owner does: every commit, any past state, what differs, what was set aside.
//!
//! *Invariants*: nothing here takes a lease or writes but for a repair, so a run that is under way is not held up. A protected value is
//! shown only to somebody who asks for that by name. Every answer is bounded, and counts what it leaves out.

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
