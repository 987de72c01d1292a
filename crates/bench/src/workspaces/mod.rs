//! Workspaces: what it costs to find the Workspace of a path, to read a file through all its checks, to search a
//! tree, and to do that over MCP beside the reference server.

mod durable;
mod peer;
mod reading;
mod routing;
mod searching;
mod server;
mod trees;

use crate::part::Measure;

/// Everything that is measured, in this order.
pub(crate) const MEASURES: [(&str, Measure); 4] = [
    ("routing", |_| routing::rows()),
    ("reads", reading::rows),
    ("searches beside ripgrep", searching::rows),
    ("file tools over MCP beside the reference server", peer::rows),
];
