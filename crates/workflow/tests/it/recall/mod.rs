//! All runs of all sessions, over real stores.

mod cache;
mod counted;
mod listing;
mod resuming;
mod sessions;
mod store;
