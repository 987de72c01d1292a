//! The tools as agents read them, in sets.
//!
//! Each set has a [`Catalogue`]: its name, its part of the instructions, and a [`ToolCard`] for each of its tools.
//! [`sets`] is the registry: generators, snapshots and tests go through it.
//!
//! To add a set:
//! 1. Make a file next to `workflow.rs` with the names, texts and cards of its tools, and add its catalogue to
//!    [`sets`]. The schemas come from types of requests and replies in `piton-runtime`.
//! 2. Give each tool the argument `run` with [`ToolCard::within_a_run`]: what a step allows depends on it.
//! 3. Implement `ToolSet` for it in a module of `sets`, and decide in `sets::server_builder` which connections get it.
//!    A connection that may use only some of the tools gets a catalogue with those alone.
//! 4. Accept the snapshot of its list in `tests/it/registry.rs`, and run `cargo xtask generate`.
//!
//! *Invariants*: schemas come from the types of requests and replies, never from here. A tool takes an object and
//! refuses every field that its schema does not have. Tool names are unique across all sets.

pub mod backpack;
pub mod context;
mod registry;
pub mod workflow;
pub mod workspaces;

pub use piton_core::tool_card::{Hints, Object, RUN, ToolCard, input, output};
pub use registry::{Catalogue, error_schema, sets};
