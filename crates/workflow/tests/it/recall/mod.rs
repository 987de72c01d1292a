//! All runs of all sessions, over real stores.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "helpers of tests stop at the first surprise, and damage files on the disk"
)]

mod cache;
pub(crate) mod counted;
mod indexed;
mod listing;
mod resuming;
mod sessions;
mod store;
