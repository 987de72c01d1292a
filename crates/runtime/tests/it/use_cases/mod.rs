//! Requests of doors, and their replies.

mod branches;
mod collection;
#[cfg(feature = "flow")]
mod comparing;
mod connection;
mod inbox;
mod lineage;
mod preferences;
mod resume;
#[cfg(feature = "flow")]
mod run_export;
mod run_page;
mod runs;
mod sessions;
mod settling;
mod standing;
mod step_detail;
mod upkeep;
mod workflows;
