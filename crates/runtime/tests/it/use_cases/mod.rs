//! What doors ask for, and what they are told.

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
