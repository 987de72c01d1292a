//! The use cases, over ports that the caller hands in.
//!
//! | file | does |
//! |---|---|
//! | `ports` | the effects that the use cases need |
//! | `runtime` | what a process keeps: settings, compiled workflows, folded sessions |
//! | `applied` | notes which configuration is in force |
//! | `artifacts` | read artifacts again |
//! | `workflows` | list and inspect workflows |
//! | `runs` | start, continue, bookmark and resume runs |
//! | `reference` | which session or run a person means |
//! | `loaded_session` | a session, read whole |
//! | `run_tree` | a run as people look at it: step by step, or as a graph |
//! | `sessions` | list, show, draw, keep and delete sessions |
//! | `verdicts` | what a person says about a step that waits for one |
//! | `step_grant` | the step that a call of another tool belongs to |
//! | `preferences` | what runs prefer: in general, and one of them |
//! | `backpacks` | which backpack agents are attached to |
//! | `frames` | the context of a project |
//! | `owners` | what keeps the blobs of each namespace alive |
//! | `maintenance` | check, repair, clean, export, import, new keys |
//!
//! *Invariants*: a use case loads, decides, appends, and tells. Each is a method of [`Runtime`]; what an agent calls
//! goes through a [`Connection`](crate::Connection), which knows where the agent is.

mod applied;
pub(crate) mod artifacts;
mod backpacks;
mod frames;
pub(crate) mod loaded_session;
mod maintenance;
mod owners;
mod ports;
mod preferences;
pub(crate) mod reference;
mod run_tree;
mod runs;
mod runtime;
mod sessions;
mod step_grant;
mod verdicts;
mod workflows;

pub use ports::RuntimePorts;
pub use runtime::Runtime;
