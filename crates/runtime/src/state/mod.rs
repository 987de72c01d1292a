//! Backpacks for whoever calls.
//!
//! * [`Attached`]: the backpack that an agent is attached to, and what it can do there: [`request`], [`reply`].
//! * [`SharedBackpacks`]: the backpacks of a process, whose calls share turns to write.
//! * [`CallerScope`]: as whom it acts.
//! * `look` (feature `flow`): what is in backpacks, as their owner reads it.

mod attached;
#[cfg(feature = "flow")]
pub mod look;
pub mod reply;
pub mod request;
mod standing;
mod text;
mod turn;
mod use_cases;

pub use piton_backpack::BackpackId;

pub use attached::{Attached, Attachment};
pub use standing::CallerScope;
pub use turn::{SharedBackpack, SharedBackpacks};
#[cfg(feature = "flow")]
pub(crate) use use_cases::short;
