//! The behaviour of `piton-mcp` as clients see it, byte for byte.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, and write the files that are read"
)]

mod audience;
mod conformance;
mod elicitation;
mod faults;
mod http;
mod listing;
mod malformed;
mod patience;
mod project;
mod prompts;
mod registry;
mod resources;
mod revisions;
mod rig;
mod schemas;
mod sets;
mod several;
mod tools;
mod unread;
