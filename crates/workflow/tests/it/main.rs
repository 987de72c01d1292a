//! The behaviour of `piton-workflow` as other crates see it.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests stop at the first surprise, look at what lies on the disk, and say what they counted"
)]

mod agent;
mod builtin_workflows;
mod bundle;
mod carry;
mod catalogue;
mod classic;
mod closed_set;
mod compile;
mod contract;
mod dedupe;
mod engine;
mod event;
mod label;
mod loop_path;
mod name;
mod projection;
mod proof;
mod reason;
mod recall;
mod schema;
mod session;
mod snapshot;
mod source;
mod step_instance;
mod token;
mod upkeep;
