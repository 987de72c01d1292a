//! `piton mcp`: serves an agent, or configures clients to start that server.
//!
//! | file | holds |
//! |---|---|
//! | `serve` | the command line, and the server |
//! | `install` | `install`, `uninstall` |
//! | `status` | `status` |
//! | `client` | the supported clients, and the locations of their configuration |
//! | `entry` | Piton's entry in the configuration of a client |
//! | `permission` | the permission by which a client calls the tools without asking |
//! | `json` | changes one member or item of a JSON text and leaves the rest as it is |

mod client;
mod entry;
mod install;
mod json;
mod permission;
mod serve;
mod status;

pub(crate) use client::{ClientScope, McpClient};
pub(crate) use entry::{ClientEntry, Start, entry_in};
pub(crate) use serve::Mcp;
