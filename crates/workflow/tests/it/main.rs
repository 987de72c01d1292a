//! The behaviour of `piton-workflow` as other crates see it.

mod closed_set;
mod compile;
mod contract;
mod dedupe;
mod engine;
mod event;
mod loop_path;
mod name;
mod projection;
mod reason;
#[cfg(feature = "schema")]
mod schema;
mod shipped;
mod snapshot;
mod source;
mod step_instance;
mod token;
