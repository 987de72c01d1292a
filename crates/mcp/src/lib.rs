//! Piton's tools over the Model Context Protocol.
//!
//! * [`catalogue`]: the tools as agents read them, in sets: names, texts, and schemas of requests and replies.
//! * [`sets`]: the implementation of each set.
//! * [`stdio`]: one agent at the other end of a pipe.
//! * [`http`]: any number of agents over streamable HTTP, with access control.
//! * [`log`]: one line for each call, for programs that keep a log.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! ```
//! use piton_mcp::catalogue;
//!
//! // What agents read is generated from the types of the requests.
//! let sets = catalogue::sets();
//! let names: Vec<&str> = sets.iter().map(|set| set.name).collect();
//! assert_eq!(names, ["workflow", "workspaces", "context", "backpack"]);
//! let tool = sets[0].tool("continue_workflow").expect("it is the heart of the set");
//! assert!(tool.input["properties"]["ackToken"].is_object());
//! ```
//!
//! A call takes one path: a transport passes it to `server`, `call` checks with `arguments` whether it fits the schema
//! of its tool, its set turns it into a request of [`piton_runtime`], and `answer` reports the outcome, in the forms
//! that its client needs.
//!
//! Beside tools, every connection has a prompt for each workflow (`prompts`), and recaps and artifacts as resources
//! (`resources`).
//!
//! *Invariants*: tools come in sets, and a connection has those that its configuration gives it. The texts and schemas
//! that agents see come from the types of the requests and from [`catalogue`], and from nowhere else. A failure that an
//! agent can act on is a result with an envelope; only a call that reaches no tool is an error of the protocol. A panic
//! ends one call, never the server.
//!
//! *Limitations*: from the revision 2026-07-28 on, each call over HTTP stands alone, so its reply does not list the
//! other open runs of the agent.

#[cfg(feature = "serve")]
mod answer;
#[cfg(feature = "serve")]
mod arguments;
pub mod bounds;
#[cfg(feature = "serve")]
mod call;
pub mod catalogue;
#[cfg(feature = "serve")]
pub mod http;
#[cfg(feature = "serve")]
mod line_transport;
#[cfg(feature = "serve")]
mod list_changes;
#[cfg(feature = "serve")]
pub mod log;
#[cfg(feature = "serve")]
mod malformed;
#[cfg(feature = "serve")]
mod offered_tools;
#[cfg(feature = "serve")]
mod oversized;
#[cfg(feature = "serve")]
mod person;
#[cfg(feature = "serve")]
mod plain_call;
#[cfg(feature = "serve")]
mod progress;
#[cfg(feature = "serve")]
mod prompts;
#[cfg(feature = "serve")]
mod resources;
#[cfg(feature = "serve")]
mod roots;
#[cfg(feature = "serve")]
mod server;
#[cfg(feature = "serve")]
pub mod sets;
#[cfg(feature = "serve")]
pub mod stdio;

#[cfg(feature = "serve")]
pub use answer::failure_text;
#[cfg(feature = "serve")]
pub use http::{Listener, Stopped, Token, serve_http};
#[cfg(feature = "serve")]
pub use server::listed;
#[cfg(feature = "serve")]
pub use sets::ServerBuilder;
#[cfg(feature = "serve")]
pub use stdio::{serve_pipe, serve_pipe_until, serve_stdio};
