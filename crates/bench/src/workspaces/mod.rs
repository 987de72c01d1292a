//! Workspaces: the cost of finding the workspace of a path, of reading a file through all checks, of searching a tree,
//! and of doing all that over MCP beside the reference server.

mod in_process;
mod peer;
mod routing;
mod trees;

use crate::part::Measure;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 4] = [
    ("routing", |_| routing::rows()),
    ("reads", in_process::read_rows),
    ("searches beside ripgrep", in_process::search_rows),
    ("file tools over MCP beside the reference server", peer::rows),
];
