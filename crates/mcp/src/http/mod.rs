//! Any number of agents over streamable HTTP.
//!
//! *Invariants*: who listens beyond this machine has a token, or does not listen. A browser page from elsewhere
//! reaches nothing: `Host` must name this machine unless a token is asked for, and `Origin` must be a page of it.

mod access;
mod listener;
mod serve;
mod token;

pub use listener::Listener;
pub use serve::{PATH, serve_handlers, serve_http};
pub use token::Token;
