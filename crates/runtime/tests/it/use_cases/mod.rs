//! What doors ask for, and what they are told.

mod branches;
mod collection;
#[cfg(feature = "flow")]
mod comparing;
mod connection;
mod lineage;
mod preferences;
mod resume;
mod run_page;
mod runs;
mod sessions;
mod settling;
mod standing;
mod upkeep;
mod workflows;
