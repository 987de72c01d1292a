//! Why a tool gave nothing back.

use crate::bounds::TOOL_RESULT_BYTES_MAX;

/// Where a flow gets tools that it lacks, as words that end what is said about one.
pub(crate) const TOOLS_COME_FROM: &str =
    "tools come from the MCP servers of --tools FILE, and from Workspaces";

/// Why a tool gave nothing back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// There is no such tool.
    #[error("there is no tool `{name}`; there is: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The arguments are not what the tool takes.
    #[error("the arguments of `{name}` are refused: {problems}")]
    Arguments {
        /// The tool.
        name: String,
        /// Every problem, with its path.
        problems: String,
    },
    /// It failed.
    #[error("`{name}` failed: {message}")]
    Failed {
        /// The tool.
        name: String,
        /// What it said.
        message: String,
    },
    /// It gave back too much.
    #[error("`{name}` gave back {measured} bytes; {TOOL_RESULT_BYTES_MAX} are taken")]
    TooLarge {
        /// The tool.
        name: String,
        /// How much.
        measured: usize,
    },
    /// It cannot be registered.
    #[error("the tool `{name}` cannot be registered: {problem}")]
    Refused {
        /// The tool.
        name: String,
        /// Why not.
        problem: String,
    },
}
