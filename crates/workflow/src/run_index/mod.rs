//! All runs of all sessions: listed, and ranked for a query.
//!
//! A session is read once, summarized, and then only followed: as long as nothing is appended to it, it costs one
//! metadata lookup. Summaries are kept in this process and in the projection cache, so that a new process starts
//! where another one ended. There is no limit on the number of sessions.
//!
//! | file | holds |
//! |---|---|
//! | `index` | the use cases: list and resume |
//! | `cached_summary` | the entries of the cache, and the checks that they must pass |
//!
//! *Invariants*: read-only, apart from writes to the cache. A cached summary is never offered for resuming before
//! this process has read the events that it was made from. So a wrong entry can misstate a list, or hide a run from a
//! search until its session changes, and nothing else. Nothing that advances a run reads this index.
//!
//! *Limitations*: the health of a session is checked when its events are read, and again when it changes. Damage to
//! events that were read before is found by the next reader of those events.

mod cached_summary;
mod index;

pub use index::{Offers, RunIndex, RunListing, UnreadableSession};
