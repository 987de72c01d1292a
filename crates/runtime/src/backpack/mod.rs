//! Backpacks for whoever calls.
//!
//! * [`Attached`]: the backpack that an agent is attached to, and what it can do there: [`request`], [`reply`].
//! * [`SharedBackpacks`]: the backpacks of a process, whose calls share turns to write.
//! * [`CallerScope`]: as whom it acts.
//! * `inspect` (feature `flow`): what is in backpacks, as their owner reads it.

mod attached;
mod caller_scope;
#[cfg(feature = "flow")]
pub mod inspect;
pub mod reply;
pub mod request;
mod text;
mod turn;
mod use_cases;

pub use piton_backpack::BackpackId;

pub use attached::{Attached, Attachment};
pub use caller_scope::CallerScope;
pub use turn::{SharedBackpack, SharedBackpacks};
#[cfg(feature = "flow")]
pub(crate) use use_cases::short;
