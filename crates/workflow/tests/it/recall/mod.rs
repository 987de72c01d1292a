//! All runs of all sessions, over real stores.

mod cache;
pub(crate) mod counted;
mod listing;
mod resuming;
mod sessions;
mod store;
