//! Backpacks, as agents and their owners use them.
//!
//! * [`Attached`]: the backpack that an agent is attached to, and the operations on it: [`request`].
//! * [`SharedBackpacks`]: the backpacks of a process, whose calls share an open one.
//! * [`CallerScope`]: the identity that a call acts under.
//! * `inspect` (feature `flow`): the contents of backpacks, as their owner reads them.

mod attached;
mod attachment;
#[cfg(feature = "flow")]
pub mod inspect;
mod removal;
pub mod request;
mod shared;

pub use piton_backpack::journal::JournalPorts;
pub use piton_backpack::{
    Action, BackpackId, BackpackPorts, ChangeKind, Key, NodeId, NodeIdentity,
};

pub use attached::Attached;
#[cfg(feature = "flow")]
pub(crate) use attached::short;
pub use attachment::CallerScope;
pub use shared::{SharedBackpack, SharedBackpacks};
