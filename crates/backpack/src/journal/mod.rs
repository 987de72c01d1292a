//! A backpack that survives: every commit goes to a journal.
//!
//! [`JournaledBackpack::open`] takes the lease of the backpack's stream, replays what is there and goes on. Nodes get
//! an [`AsyncScope`]: what they do happens in memory first, as with any backpack, and in the same order on disk.
//!
//! * In durable mode a write returns after its commit is on disk. Writes that wait at the same time share one sync.
//! * In buffered mode a write returns at once, and is on disk after the next flush.
//! * A read never waits for the disk; its commit rides with the next write or flush.
//!
//! Who writes now and then, among others who do, keeps a [`Followed`] in between.
//!
//! *Invariants*: the disk holds a prefix of what happened in memory. After a failed append nothing more happens to the
//! backpack: whoever goes on opens it again, and finds what is on disk.

mod backpack;
mod check;
mod event;
mod followed;
mod fork;
mod past;
mod queue;
mod replay;
mod roots;
mod scope;
mod writer;

pub use backpack::{JournalPorts, JournaledBackpack, Mode, Opened};
pub use check::{BackpackRepaired, Checked, check, repair};
pub use event::{BackpackEvent, Holder};
pub use followed::Followed;
pub use replay::{read, read_at};
pub use roots::BackpackRoots;
pub use scope::{AsyncScope, ChangeLog};
