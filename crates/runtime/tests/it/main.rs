//! The behaviour of `piton-runtime` as doors see it.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, and write the files that are read"
)]

mod config;
mod files;
#[cfg(feature = "flow")]
mod generating;
#[cfg(feature = "flow")]
mod inspecting;
mod library;
#[cfg(feature = "flow")]
mod mcp_tools;
mod models;
mod rig;
#[cfg(feature = "flow")]
mod search;
mod state;
mod surroundings;
mod use_cases;
