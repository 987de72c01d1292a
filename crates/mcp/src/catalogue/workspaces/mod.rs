//! The set `files`, for connections with configured Workspaces: the tools that their scopes allow.

mod tool;
mod words;

pub use tool::{catalogue, world_catalogue};
