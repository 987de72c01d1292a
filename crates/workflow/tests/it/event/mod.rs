//! The events of a session.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

mod advance;
mod capability;
mod context;
mod envelope;
mod form;
mod gap;
mod observation;
mod output;
mod preferences;
mod property;
mod rules;
mod sample;
mod schema;
mod store;
mod topology;
mod trace;
