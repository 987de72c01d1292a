//! What Piton does for whoever calls it, as plain requests and replies.
//!
//! Every door (the command line, the MCP server, a web page) speaks to this crate and to nothing below it:
//!
//! * [`config`]: settings from files and the environment, with every problem of a bad file at once.
//! * [`library`]: workflow files from every source, compiled, with what does not load beside what does.
//! * [`project_env`]: the project directory of a call, and what git says about it.
//! * [`workflow`]: the use cases, over ports that the caller hands in.
//! * [`connection`]: the use cases of one agent, which remember the runs that it has open.
//! * [`context`]: context: a project's tree, and the frames that agents put on it.
//! * [`explain`]: what an error code means.
//! * [`workspaces`]: the Workspaces of a process, what agents do in them, and what people see of that.
//! * `flow` (feature `flow`): flows from files: check, draw, run and resume them.
//! * `mcp_tools` (feature `flow`): the tools of other MCP servers, for flows.
//! * [`provenance`]: where things come from: blame, forks, and what differs between two branches.
//! * [`models`]: who answers for models.
//! * [`backpack`]: backpacks, as agents use them and as their owner looks at them.
//! * [`request`], [`reply`]: what goes in and what comes out.
//! * [`text_diff`]: two texts, line by line.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: no adapter of the store is named, and nothing durable is written but through its ports and into
//! the user's configuration file. Files are read in modules that say so at their top; everything else is pure.
//! Every failure is an [`Envelope`](piton_core::Envelope).
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
pub mod replies;
pub mod reply;
pub mod request;
mod run_label;
pub mod text_diff;
pub mod workflow;
pub mod workspaces;

pub use connection::{CallBasis, Connection, Whereabouts};
pub use piton_workflow::compile::StepAccess;
pub use workflow::{Runtime, RuntimePorts};
