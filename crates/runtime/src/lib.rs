//! What Piton does for whoever calls it, as plain requests and replies.
//!
//! Every door (the command line, the MCP server, a web page) speaks to this crate and to nothing below it:
//!
//! * [`config`]: settings from files and the environment, with every problem of a bad file at once.
//! * [`library`]: workflow files from every source, compiled, with what does not load beside what does.
//! * [`surroundings`]: the project directory of a call, and what git says about it.
//! * [`runtime`]: the use cases, over ports that the caller hands in.
//! * [`connection`]: the use cases of one agent, which remember the runs that it has open.
//! * [`files`]: the Workspaces of a process, what agents do in them, and what people see of that.
//! * `flows` (feature `flow`): flows from files: check, draw, run and resume them.
//! * `mcp_tools` (feature `flow`): the tools of other MCP servers, for flows.
//! * [`lineage`]: where things come from: blame, forks, and what differs between two branches.
//! * [`request`], [`reply`]: what goes in and what comes out.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: no adapter of the store is named, and nothing durable is written but through its ports and into
//! the user's configuration file. Files are read in modules that say so at their top; everything else is pure.
//! Every failure is an [`Envelope`](piton_core::Envelope).
//!
//! *Limitations*: workflow files, configuration and git are read on the thread of the call. They are few and small.

pub mod bounds;
pub mod config;
pub mod connection;
pub mod files;
#[cfg(feature = "flow")]
pub mod flows;
pub mod library;
pub mod lineage;
#[cfg(feature = "flow")]
pub mod mcp_tools;
mod nearest;
pub mod reply;
pub mod request;
pub mod runtime;
pub mod surroundings;

pub use connection::{Connection, Standing, Whereabouts};
pub use runtime::{Ports, Runtime};
