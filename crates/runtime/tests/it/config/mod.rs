//! Settings from files and the environment.

mod context;
mod edit;
mod environment;
mod files;
mod precedence;
mod schema;
mod section;
mod shown;
mod status;
