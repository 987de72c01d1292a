//! Flows: graphs of nodes that run over a backpack, from code or from JSON.
//!
//! A node reads what it needs from the backpack, works on it, writes what came of it, and says where to go on. The
//! backpack keeps who wrote what; the flow keeps the order, tries again what may fail for a while, and goes on after a
//! crash where it stood.
//!
//! * [`node`]: what a flow is made of.
//! * [`graph`]: nodes and edges, namespaces, pictures.
//! * [`config`]: flows as JSON, and the registry of types.
//! * [`run`]: running and resuming.
//! * [`event`]: what happens, told live.
//! * [`tool`]: functions that nodes and models call.
//! * [`problem`]: what is wrong with a description.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: nothing here reads a file, a clock, a source of randomness or the environment, or starts a task.
//! Models, tools, time and storage come through ports.

pub mod action;
pub mod bounds;
mod builtin;
pub mod config;
mod error;
pub mod event;
mod flow_state;
pub mod graph;
pub mod node;
pub mod problem;
pub mod run;
mod schema;
pub mod tool;

pub use action::Action;
pub use config::{LoadedFlow, Registry};
pub use error::Error;
pub use event::{
    EventFilter, EventKind, EventName, RunEvent, RunStatus, SubscriberEvent, Subscription,
};
pub use flow_state::FlowState;
pub use graph::{Contract, Flow, Mappings, NodeBody, NodeRef, NodeSettings};
pub use node::{BoxFuture, Exec, Node, NodeContext, NodeError, Phase, RetryRule, Shape};
pub use problem::{FlowProblem, Severity};
pub use run::{Cancel, RunOptions, RunRecord, RunReport, Runner, RunnerPorts};
pub use tool::{FunctionTool, Tool, ToolError, ToolResult, Tools};

/// The guide from a shared dictionary, whose blocks are run as examples of this crate.
// shows in part: BP-121 (the guide from a shared dictionary)
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/from-a-dictionary.md")]
struct Guide;
