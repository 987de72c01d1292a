//! Requests of doors, and their replies.

mod branches;
mod collection;
#[cfg(feature = "flow")]
mod comparing;
mod connection;
mod lineage;
mod preferences;
mod resume;
mod runs;
mod sessions;
mod settling;
mod standing;
mod upkeep;
mod workflows;
