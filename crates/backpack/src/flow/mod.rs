//! Flows: graphs of nodes that run over a backpack, from code or from JSON.
//!
//! A node reads its inputs from the backpack, works on them, writes its results, and decides where the flow continues.
//! The backpack records who wrote what. The flow keeps the order, retries work that may fail temporarily, and resumes
//! after a crash where it stopped.
//!
//! * [`node`]: the nodes that a flow is made of.
//! * [`graph`]: nodes and edges, namespaces, diagrams.
//! * [`config`]: flows as JSON, and the registry of types.
//! * [`run`]: running and resuming.
//! * [`event`]: live events of a run.
//! * [`tool`]: functions that nodes and models call.
//! * [`bounds`]: every limit of flows, with its reason.
//!
//! *Invariants*: a flow uses the backpack through its public interface (`cargo xtask tidy` checks it). Nothing here reads a file, a clock, a source of randomness or the environment, or starts a task.
//! Models, tools, time and storage come through ports.

pub mod bounds;
mod builtin;
pub mod config;
mod error;
pub mod event;
mod flow_state;
pub mod graph;
mod large_numbers;
pub mod node;
pub mod run;
mod schema;
pub mod tool;

pub use config::{LoadedFlow, Registry};
pub use error::{Error, FlowProblem, Severity};
pub use event::{
    EventFilter, EventKind, EventName, RunEvent, RunStatus, SubscriberEvent, Subscription,
};
pub use flow_state::FlowState;
pub use graph::{Contract, Flow, Mappings, NodeBody, NodeRef, NodeSettings};
pub use node::{Action, BoxFuture, Exec, Node, NodeContext, NodeError, Phase, RetryRule, Shape};
pub use run::{Cancel, RunOptions, RunRecord, RunReport, Runner, RunnerPorts};
pub use tool::{FunctionTool, Tool, ToolError, ToolResult, Tools};

/// The guide that starts from a shared dictionary. Its code blocks run as examples of this crate.
// shows in part: BP-121 (the guide from a shared dictionary)
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guides/from-a-dictionary.md")]
struct Guide;
