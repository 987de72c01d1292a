//! Workspaces: the cost of finding the workspace of a path, of reading a file through all checks, of searching a tree,
//! and of doing all that over MCP beside the reference server.

mod durable;
mod peer;
mod reading;
mod routing;
mod searching;
mod server;
mod trees;

use crate::part::Measure;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 4] = [
    ("routing", |_| routing::rows()),
    ("reads", reading::rows),
    ("searches beside ripgrep", searching::rows),
    ("file tools over MCP beside the reference server", peer::rows),
];
