//! `piton mcp`: serves an agent, or configures clients to start that server.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the command line |
//! | `client` | the supported clients, and the locations of their configuration |
//! | `json` | changes one member of a JSON text and leaves the rest as it is |
//! | `entry` | Piton's entry in the configuration of a client |
//! | `serve` | the server itself |
//! | `install` | writes and removes that entry |

mod client;
mod command;
mod entry;
mod install;
mod json;
mod serve;

pub(crate) use client::{ClientScope, McpClient};
pub(crate) use command::Mcp;
pub(crate) use entry::{ClientEntry, Start, entry_in};
