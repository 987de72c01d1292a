//! Git for an agent's state: scoped, attributed, versioned values with a history.
//!
//! A flow passes one [`Backpack`] from node to node. A node gets a [`Scope`]: it packs and unpacks values in its own
//! name and within its permissions. Whoever owns the backpack can ask who wrote what and when ([`DebugHandle`]),
//! look at any past state ([`Backpack::snapshot_at_commit`]), compare two ([`Diff`]), and go on from one.
//!
//! *Invariants*: history never changes, and there is no way back in it: an earlier state is another backpack. A value
//! that a node may not read is told to it in no way: not by a value, an error, an event or a summary. Nothing here
//! reads a file, a clock, a source of randomness or the environment.

mod abandoning;
mod access;
mod backpack;
mod backpack_id;
pub mod bounds;
mod commit;
mod commit_id;
mod content;
mod core;
mod debug_handle;
mod diff;
mod document;
mod error;
mod filter;
mod history;
mod identity;
mod index;
mod item;
pub mod journal;
mod labels;
mod observer;
mod options;
mod origin;
mod outcome;
mod pack_options;
mod permissions;
mod quarantined;
mod reading;
mod record;
mod recorder;
mod scope;
mod state;
mod summary;
mod text;
mod validate;
mod writing;

pub use access::Operation;
pub use backpack::Backpack;
pub use backpack_id::BackpackId;
pub use commit::{Action, Commit};
pub use commit_id::{CommitId, NotACommitId};
pub use debug_handle::{Access, DebugHandle};
pub use diff::{Change, ChangeKind, Diff};
pub use error::Error;
pub use filter::Filter;
pub use identity::Identity;
pub use item::Item;
pub use journal::{AsyncScope, JournaledBackpack};
pub use labels::{AccessControl, Labels};
pub use observer::{Committed, Event, Observer};
pub use options::{Options, Ports};
pub use origin::Origin;
pub use outcome::Outcome;
pub use pack_options::PackOptions;
pub use permissions::Permissions;
pub use quarantined::{Quarantined, Reason};
pub use scope::Scope;
pub use text::{Key, NodeId, NodeName, Tag, TextError, TextProblem};
pub use validate::{Validation, Violation};
