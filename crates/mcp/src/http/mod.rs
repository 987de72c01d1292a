//! Serves any number of agents over streamable HTTP.
//!
//! *Invariants*: a server that listens beyond this machine has a token. A browser page from elsewhere reaches nothing:
//! `Host` must name this machine unless a token is required, and `Origin` must be a page of it. Everything that a
//! client can make the server hold is bounded.
//!
//! | file | holds |
//! |---|---|
//! | `listener` | the address, and the check of callers |
//! | `connections` | connections, their limit, and the end of those that send nothing |
//! | `phase` | running calls, and the shutdown of the server |
//! | `message` | the message of a request, read within bounds |
//! | `sessions` | the sessions of clients; idle ones make room for new ones |
//! | `call_stream` | the identity of a call, and the ids of its events |
//! | `kept` | replies that a client may request again |
//! | `repeat` | calls that clients without sessions repeat |
//! | `serve` | all parts put together |

mod call_stream;
mod connections;
mod kept;
mod listener;
mod message;
mod phase;
mod repeat;
mod serve;
mod sessions;

pub use listener::{Listener, Token};
pub use serve::{PATH, Stopped, serve_handlers, serve_http};
