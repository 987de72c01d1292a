//! The MCP server: the cost of a call, with the official TypeScript SDK on the other side of a pipe.

mod advance;
mod client;
mod process;
mod together;

use crate::part::Measure;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 5] = [
    ("how the server starts", process::rows),
    ("an advance through a pipe", advance::rows),
    ("advances of a short and of a long run through a pipe", advance::flatness_rows),
    ("packs that are under way together", together::rows),
    ("a server that has served long", process::long_run_rows),
];
