//! The operations of Piton, as plain requests and replies.
//!
//! Every front end (the command line, the MCP server, a web page) talks to this crate and to nothing below it:
//!
//! * [`config`]: settings from files and the environment, with every problem of a bad file at once.
//! * [`library`]: workflow files from every source, compiled, along with those that do not load.
//! * [`project_env`]: the project directory of a call, and its git state.
//! * [`workflow`]: the use cases, over ports that the caller supplies.
//! * [`connection`]: the use cases of one agent, which remember the runs that it has open.
//! * [`context`]: a project's tree, and the frames that agents attach to it.
//! * [`explain`]: explanations of error codes.
//! * [`workspaces`]: the Workspaces of a process, the work of agents in them, and what people see of it.
//! * `flow` (feature `flow`): flows from files: check, draw, run and resume them.
//! * `mcp_tools` (feature `flow`): the tools of other MCP servers, for flows.
//! * [`provenance`]: the origin of things: blame, forks, and the differences between two branches.
//! * [`models`]: the clients that answer for models.
//! * [`backpack`]: backpacks, as agents use them and as their owner inspects them.
//! * [`request`], [`reply`]: requests and replies.
//! * [`text_diff`]: line-by-line comparison of two texts.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: no storage adapter is named. Durable writes go only through its ports and into the user's
//! configuration file. Modules that read files say so at their top; everything else is pure. Every failure is an
//! [`Envelope`](piton_core::Envelope).
//!
//! *Limitations*: workflow files, configuration and git are read on the thread of the call. They are few and small.

pub mod backpack;
pub mod bounds;
pub mod config;
pub mod connection;
pub mod context;
pub mod explain;
#[cfg(feature = "flow")]
pub mod flow;
pub mod library;
#[cfg(feature = "flow")]
pub mod mcp_tools;
pub mod models;
mod nearest;
pub mod project_env;
pub mod provenance;
pub mod reply;
pub mod request;
mod run_label;
pub mod text_diff;
pub mod workflow;
pub mod workspaces;

pub use connection::{Connection, Whereabouts};
// The port by which a front end keeps replies for clients that lose their connection. The use cases know nothing of it.
pub use piton_store::port::{Replies, ReplyClaim, ReplyKey};
pub use piton_workflow::compile::StepAccess;
pub use workflow::{CallBasis, Runtime, RuntimePorts};
