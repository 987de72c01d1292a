//! A backpack as one JSON document: the items in use, the quarantine, the permissions and the last commits.
//!
//! The document also holds the previous items of the keys that its commits change, so that snapshots reach back to the
//! first commit that it carries. See `docs/format/backpack.md`.

mod form;
mod read;
mod write;
