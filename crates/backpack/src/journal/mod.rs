//! Backpacks that survive the process: every commit goes to a journal.
//!
//! [`JournaledBackpack::open`] takes the lease of the backpack's stream, replays the stream and continues it. Acts
//! happen in memory first, as with any backpack, and reach the disk in the same order. [`Scope::saved`](crate::Scope::saved)
//! waits for it.
//!
//! * In durable mode a write is saved once its commit is on disk. Writes that wait at the same time share one sync.
//! * In buffered mode nothing waits for a write, and it is on disk after the next flush.
//! * A read never waits for the disk; its commit rides with the next write or flush.
//!
//! A process that writes only occasionally, alongside others, keeps a [`Followed`] in between.
//!
//! *Invariants*: the disk holds a prefix of what happened in memory. After a failed append the backpack refuses every
//! further act: to continue, open it again and find what is on disk.

mod backpack;
mod check;
mod event;
mod followed;
mod fork;
mod past;
mod replay;
mod writer;

pub use backpack::{JournalPorts, JournaledBackpack, Mode, Opened};
pub use check::{BackpackRepaired, Checked, check, repair};
pub use event::{BackpackEvent, Holder, blob_roots};
pub use followed::Followed;
pub use replay::{read, read_at};
pub(crate) use writer::JournalWriter;
