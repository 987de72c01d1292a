//! Any number of agents over streamable HTTP.
//!
//! *Invariants*: who listens beyond this machine has a token, or does not listen. A browser page from elsewhere
//! reaches nothing: `Host` must name this machine unless a token is asked for, and `Origin` must be a page of it.
//! Everything that a client can make the server hold is bounded.
//!
//! | file | holds |
//! |---|---|
//! | `listener`, `token`, `access` | where it listens, and who may call |
//! | `connections` | connections, their number, and the end of those that send nothing |
//! | `phase` | calls that are under way, and how the server ends |
//! | `message` | the message of a request, read within bounds |
//! | `sessions` | the sessions of clients, the idle ones of which make room |
//! | `kept` | replies that a client may ask for again |
//! | `repeat` | calls that clients without sessions repeat |
//! | `serve` | all of it put together |

mod access;
mod connections;
mod kept;
mod listener;
mod message;
mod phase;
mod repeat;
mod serve;
mod sessions;
mod token;

pub use listener::Listener;
pub use serve::{PATH, Stopped, serve_handlers, serve_http};
pub use token::Token;
