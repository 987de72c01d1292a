//! The agent's door: Piton's tools over the Model Context Protocol.
//!
//! * [`catalogue`]: the tools as agents read them, in sets: names, words, schemas of what goes in and what comes out.
//! * [`sets`]: what makes the calls of each set.
//! * [`stdio`]: one agent at the other end of a pipe.
//! * [`http`]: any number of agents over streamable HTTP, with who may call.
//! * [`log`]: one line for each call, for whoever keeps a log.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! A call goes one way: a transport hands it to `server`, `call` finds out with `arguments` whether it fits the schema
//! of its tool, its set makes a request of [`piton_runtime`] out of it, and `answer` says what came of it, in the forms
//! that `client_kind` knows its client to need.
//!
//! *Invariants*: tools come in sets, and a connection has those that its configuration gives it. The words and schemas
//! that agents see come from the types of the requests and from [`catalogue`], and from nowhere else. What an agent can act on is a result
//! with an envelope; only a call that reaches no tool is an error of the protocol. A panic ends one call, never the
//! server.
//!
//! *Limitations*: from the revision 2026-07-28 on, each call over HTTP stands alone, so its reply does not list the
//! other runs that the agent has open.

#[cfg(feature = "serve")]
mod answer;
#[cfg(feature = "serve")]
mod arguments;
pub mod bounds;
#[cfg(feature = "serve")]
mod call;
pub mod catalogue;
#[cfg(feature = "serve")]
mod client_kind;
#[cfg(feature = "serve")]
pub mod http;
#[cfg(feature = "serve")]
mod line_transport;
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
