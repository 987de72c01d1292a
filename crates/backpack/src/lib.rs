//! Git for an agent's state: scoped, attributed, versioned values with a history.
//!
//! A flow passes one [`Backpack`] from node to node. Each node gets a [`Scope`], with which it packs and unpacks values
//! in its own name and within its permissions. The owner of the backpack can ask who wrote what and when
//! ([`DebugHandle`]), look at any past state ([`Backpack::snapshot_at_commit`]), compare two states ([`StateDiff`]),
//! and continue from one.
//!
//! ```
//! use std::sync::Arc;
//! use piton_backpack::{Backpack, StateDiff, Filter, NodeIdentity, Options, Permissions, BackpackPorts};
//! use piton_core::TimestampMs;
//! use piton_core::port::fixed::{ManualClock, SeededEntropy};
//!
//! # fn main() -> Result<(), piton_backpack::Error> {
//! let ports = BackpackPorts {
//!     clock: Arc::new(ManualClock::new(TimestampMs(0))),
//!     entropy: Arc::new(SeededEntropy::new(1)),
//! };
//! let backpack = Backpack::new([("query", "prices 2026")], Options::default(), ports)?;
//!
//! // A node acts in its own name, and gets what it declares.
//! let search = backpack.scope(
//!     NodeIdentity::new("search-1", "search")?,
//!     Some(Permissions::none().reading(["query"])?.writing(["articles"])?),
//! )?;
//! let query: String = search.unpack_required("query")?;
//! let found = search.pack("articles", &[&query, "a second one"])?.done().expect("it may");
//! assert!(search.pack("answer", &"not mine to give").is_err());
//!
//! // Who wrote what, what it was before, and what changed since.
//! let chat = backpack.scope(NodeIdentity::new("chat", "chat")?, None)?;
//! let _ = chat.pack("articles", &["only this one"])?;
//! let writers = backpack.debug().key_history("articles")?;
//! assert_eq!(writers[1].author().id.as_str(), "chat");
//! let before = backpack.snapshot_at_commit(found)?;
//! let diff = StateDiff::between(&before, &backpack)?;
//! assert_eq!(diff.changes[0].before.as_ref().unwrap().text()?, r#"["prices 2026","a second one"]"#);
//!
//! // The refusal is part of the history too.
//! assert_eq!(backpack.debug().history(&Filter::default())?.len(), 5);
//! # Ok(())
//! # }
//! ```
//!
//! With a journal ([`JournaledBackpack`]), commits survive the process and the history reaches back to the first of
//! them. [`Scope::saved`] waits until a write is on disk.
//!
//! * [`Scope`]: the handle for nodes. [`Permissions`], [`AccessControl`]: their limits.
//! * [`Backpack`], [`JournaledBackpack`]: the handles for the owner. [`DebugHandle`]: sees everything, changes nothing.
//! * [`Item`], [`Commit`], [`Quarantined`]: the contents of a backpack. [`StateDiff`]: the differences between two.
//! * [`Observer`]: is notified of everything that happens.
//! * [`journal`]: persistence, readers in other processes, and the lifetime of large values.
//! * `flow` (feature `flow`): graphs of nodes that run over a backpack.
//! * [`bounds`]: every limit, with its reason.
//!
//! | directory or file | holds |
//! |---|---|
//! | `backpack`, `backpack_core`, `debug_handle` | the owner's handle, the state behind its lock, and the handle that sees everything |
//! | `access` | scopes of nodes, their permissions, and their writes |
//! | `state` | items, labels, the quarantine, and the maps that hold them |
//! | `history` | commits, their ids, past states, differences, and going back |
//! | `record`, `document` | commits and items as they are stored, and a backpack in one JSON document |
//! | `journal` | writing to a journal, following one, forks, checks and repairs |
//!
//! *Invariants*: history never changes, and nothing can be rolled back: an earlier state is another backpack. A value
//! that a node may not read never reaches it, neither through a value nor through an error, an event or a summary.
//! Nothing here reads a file, a clock, a source of randomness or the environment.

mod access;
mod backpack;
mod backpack_core;
pub mod bounds;
mod debug_handle;
mod document;
mod error;
#[cfg(feature = "flow")]
pub mod flow;
mod history;
pub mod journal;
mod names;
mod observer;
mod record;
mod state;

pub use access::permissions::{Operation, Permissions};
pub use access::scope::{ChangeLog, Scope};
pub use access::writing::WriteOutcome;
pub use backpack::{Backpack, BackpackPorts, Options};
pub use debug_handle::{Access, DebugHandle, Validation, Violation};
pub use error::Error;
pub use history::commit::{Action, Commit};
pub use history::commit_id::{CommitId, NotACommitId};
pub use history::commits::Filter;
pub use history::diff::{ChangeKind, KeyChange, StateDiff};
pub use journal::JournaledBackpack;
pub use names::{
    BackpackId, BackpackOrigin, IntoKey, Key, NodeId, NodeIdentity, NodeName, Tag, TextError,
    TextProblem,
};
pub use observer::{Committed, Event, Observer};
pub use state::item::{Item, Quarantined, Reason};
pub use state::labels::{AccessControl, Labels, PackOptions};

/// The tutorial. Its code blocks run as examples of this crate.
// shows in part: BP-121 (the tutorial of backpacks)
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/backpack.md")]
struct Tutorial;
