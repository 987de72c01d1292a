//! The implementation of each command. A command takes its arguments and its context, prints its outcome, and ends.
//!
//! A group of commands with several files is a directory; its `command` holds the subcommands. Beside the commands:
//! `stop` handles requests to end, `server_notice` tells the servers of a data directory of each other, and `worlds` opens everything that `fork` and `diff` can name.

pub(crate) mod approve;
pub(crate) mod backpack;
pub(crate) mod blame;
pub(crate) mod config;
pub(crate) mod console;
pub(crate) mod context;
pub(crate) mod data;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod flow;
pub(crate) mod fork;
pub(crate) mod help;
pub(crate) mod inbox;
pub(crate) mod install;
pub(crate) mod keys;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod prefs;
pub(crate) mod search;
mod server_notice;
pub(crate) mod session;
mod stop;
pub(crate) mod up;
pub(crate) mod version;
pub(crate) mod workflow;
pub(crate) mod workspace;
mod worlds;
