mod connection;
mod preferences;
mod resume;
mod runs;
mod sessions;
mod upkeep;
mod workflows;
