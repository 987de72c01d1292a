//! A backpack as one JSON document: what is in use, the quarantine, the permissions and the last commits.
//!
//! The document also says what the keys that its commits change held before them, so that snapshots reach back to the
//! first commit that it carries. See `docs/format/backpack.md`.

mod form;
mod read;
mod write;
