//! The tools of other MCP servers, for flows: whatever a server offers becomes a [`Tool`](piton_flow::Tool).
//!
//! * [`ServerSettings`]: how a server is reached: a program to start, or an address.
//! * [`connect`]: reaches one, and gives its tools.
//!
//! *Invariants*: a tool is called `server_tool`, so that two servers may have tools of one name. A server that takes
//! too long, or that is gone, is a failure of the call, never of the program.

mod connect;
mod error;
mod remote_tool;
mod settings;

pub use connect::connect;
pub use error::ConnectError;
pub use settings::{ServerSettings, parse};
