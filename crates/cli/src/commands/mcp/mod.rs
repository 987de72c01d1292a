//! `piton mcp`: serve an agent, or tell clients to start that.
//!
//! | file | holds |
//! |---|---|
//! | `command` | what can be asked for |
//! | `client` | which clients there are, and where they keep their configuration |
//! | `json` | changes one member of a JSON text and leaves the rest as it is |
//! | `entry` | the entry of Piton in the configuration of a client |
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
