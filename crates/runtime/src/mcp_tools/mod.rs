//! The tools of other MCP servers, for flows. Each tool that a server offers becomes a [`Tool`](piton_backpack::flow::Tool).
//!
//! * [`ServerSettings`]: the way to reach a server: a program to start, or an address.
//! * [`connect`]: connects to a server and returns its tools.
//!
//! *Invariants*: a tool is called `server_tool`, so that two servers may have tools of the same name. A server that
//! takes too long or disappears fails the call, never the program. From a server that is a program, a number that JSON
//! readers would not preserve arrives as a string of its characters.
//!
//! *Limitations*: over HTTP, the protocol library parses and rounds numbers, and a result with a number beyond every
//! double fails the call. If the answer is a stream of events with ids, such a failure takes as long as a call may
//! take, because the library waits for the answer to be sent again.

mod connect;
mod program;
mod remote_tool;

pub use connect::{ConnectError, ServerSettings, connect, parse};
