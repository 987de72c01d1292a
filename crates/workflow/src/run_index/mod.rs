//! All runs of all sessions: listed, found by a query, and ranked for resuming.
//!
//! Runs are documents of the store's [index](piton_store::port::Index). A session is read once, summarized, and then
//! only followed: as long as nothing is appended to it, it costs one metadata lookup. The index is shared by all
//! processes, so that a new one starts where another one ended. There is no limit on the number of sessions.
//!
//! *Invariants*: read-only, apart from writes to the index. What is indexed is never offered for resuming before this
//! process has read the events that it was made from. So a wrong document can misstate a list, or hide a run from a
//! search until its session changes, and nothing else. Nothing that advances a run reads this index. A document of
//! another version is never seen, because the version is part of the collection. One that contradicts itself, its
//! stream or its cursor is made again. Whoever deletes a session removes it from here in the same call
//! ([`remove_from_index`]).
//!
//! *Limitations*: the health of a session is checked when its events are read, and again when it changes. Damage to
//! events that were read before is found by the next reader of those events.
//!
//! | file | holds |
//! |---|---|
//! | `run_index` | bringing the index up to date, and listing everything |
//! | `document` | a run as a document: its fields, its text, and what is read back |
//! | `page` | some of the runs, by a filter and in an order, with counts |
//! | `resume` | the runs that are offered for resuming |

mod document;
mod page;
mod resume;
#[expect(clippy::module_inception, reason = "the file is named after the type in it")]
mod run_index;

pub use document::{RunField, remove_from_index};
pub use page::{IndexedRun, RunFilterPage, RunIndexQuery};
pub use resume::Offers;
pub use run_index::{CaughtUp, RunIndex, RunListing, UnreadableSession};
