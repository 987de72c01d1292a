//! Every run of every session: listed, and ranked by what is asked for.
//!
//! A session is read once, summed up, and then only followed: as long as nothing was appended to it, one
//! metadata lookup is all that it costs. Summaries are kept in this process and in the projection cache, so
//! that a new process starts where another one ended. There is no limit on how many sessions are seen.
//!
//! | file | holds |
//! |---|---|
//! | `index` | the use case: list and resume |
//! | `session_summary` | what is known of one session, and whether this process made sure of it |
//! | `cached_summary` | what the cache keeps, and what is refused when it comes back |
//! | `builder` | a session summed up from its events |
//! | `summary_error` | why a session is not listed |
//!
//! *Invariants*: read-only, and nothing but the cache is written. What the cache says is never offered to be
//! resumed before this process has read the events that it was made from; so a wrong entry can misstate a
//! list, or hide a run from a search until its session changes, and nothing else. Nothing that advances a run
//! reads what is here.
//!
//! *Limitations*: whether a session is healthy is found out when its events are read, and again when it
//! changes. Damage to events that were read before is found by whoever reads them next.

mod builder;
mod cached_summary;
mod index;
mod session_summary;
mod summary_error;

pub use index::{Offer, Offers, RunIndex, RunListing, UnreadableSession};
pub use summary_error::SummaryError;
