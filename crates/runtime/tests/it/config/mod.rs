//! Settings from files and the environment.

mod context;
mod edit;
mod environment;
mod files;
mod precedence;
#[cfg(feature = "schema")]
mod schema;
mod section;
mod status;
