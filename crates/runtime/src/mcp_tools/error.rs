//! Errors of connecting to servers.

use piton_core::error::sentence;
use piton_core::{Code, Envelope};

/// Reasons that the tools of a server are not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The file that names servers is not in the format of MCP clients.
    #[error("the file of MCP servers is refused: {problem}")]
    File {
        /// Description from the JSON parser, or of the limit that is exceeded.
        problem: String,
    },
    /// The server cannot be started or reached.
    #[error("the MCP server `{server}` cannot be reached: {problem}")]
    Unreachable {
        /// Name of the server in the file.
        server: String,
        problem: String,
    },
}

impl From<&ConnectError> for Envelope {
    fn from(error: &ConnectError) -> Self {
        let suggestion = match error {
            ConnectError::File { .. } => {
                "Write {\"mcpServers\": {\"NAME\": {\"command\": \"…\"}}}, or \"url\" in place of \"command\"."
            }
            ConnectError::Unreachable { .. } => {
                "Check the server's command or address, and that it runs on its own."
            }
        };
        Self::new(Code::ValidationError, sentence(&error.to_string())).with_suggestion(suggestion)
    }
}
