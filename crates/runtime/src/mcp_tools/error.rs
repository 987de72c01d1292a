//! Why the tools of a server are not there.

use piton_core::error::sentence;
use piton_core::{Code, Envelope};

/// Why the tools of a server are not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The file that names servers is not as MCP clients write it.
    #[error("the file of MCP servers is refused: {problem}")]
    File {
        /// What is wrong.
        problem: String,
    },
    /// It cannot be started or reached.
    #[error("the MCP server `{server}` cannot be reached: {problem}")]
    Unreachable {
        /// Which.
        server: String,
        /// What happened.
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
