//! The tools of other MCP servers, for flows: whatever a server offers becomes a [`Tool`](piton_flow::Tool).
//!
//! * [`ServerSettings`]: how a server is reached: a program to start, or an address.
//! * [`connect`]: reaches one, and gives its tools.
//!
//! *Invariants*: a tool is called `server_tool`, so that two servers may have tools of one name. A server that takes
//! too long, or that is gone, is a failure of the call, never of the program. A number that no JSON reader keeps comes as a
//! text of its characters from a server that is a program.
//!
//! *Limitations*: over HTTP, the library of the protocol reads the numbers and rounds them, and a result with one beyond
//! every double fails the call. If the answer is a stream of events with ids, that takes as long as a call may take:
//! the library hopes to get the answer again.

mod connect;
mod error;
mod message;
mod program;
mod remote_tool;
mod settings;

pub use connect::connect;
pub use error::ConnectError;
pub use settings::{ServerSettings, parse};
