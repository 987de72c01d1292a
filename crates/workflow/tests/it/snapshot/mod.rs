//! Execution snapshots: what they hold, how they are written, and what cannot be one.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

mod golden;
mod properties;
mod refusals;
mod samples;
mod states;
mod verify;
