//! Errors of tools.

use crate::flow::bounds::TOOL_RESULT_BYTES_MAX;

/// The origin of tools that a flow lacks, as the end of a message about one.
pub(crate) const TOOLS_COME_FROM: &str =
    "tools come from the MCP servers of --tools FILE, and from Workspaces";

/// Reasons that a tool returned nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// There is no tool with this name.
    #[error("there is no tool `{name}`; there is: {known}")]
    Unknown {
        name: String,
        /// The names of all tools.
        known: String,
    },
    /// The arguments do not match the tool's schema.
    #[error("the arguments of `{name}` are refused: {problems}")]
    Arguments {
        name: String,
        /// All problems, each with its path.
        problems: String,
    },
    /// The tool failed.
    #[error("`{name}` failed: {message}")]
    Failed {
        name: String,
        /// The message of the tool.
        message: String,
    },
    /// The result is too large.
    #[error("`{name}` gave back {measured} bytes; {TOOL_RESULT_BYTES_MAX} are taken")]
    TooLarge { name: String, measured: usize },
    /// The tool cannot be registered.
    #[error("the tool `{name}` cannot be registered: {problem}")]
    Refused { name: String, problem: String },
}
