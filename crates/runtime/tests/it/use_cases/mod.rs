mod connection;
mod preferences;
mod resume;
mod runs;
mod sessions;
mod settling;
mod upkeep;
mod workflows;
