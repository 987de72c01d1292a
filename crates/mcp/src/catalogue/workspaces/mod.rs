//! The set `files`, which a connection has where Workspaces are configured: the tools that their scopes allow.

mod tool;
mod words;

pub use tool::{catalogue, world_catalogue};
