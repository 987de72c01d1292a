//! Why the tools of a server are not there.

use piton_core::{Code, Envelope};

/// Why the tools of a server are not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The settings are not valid.
    #[error("the MCP server `{server}` is not set up: {problem}")]
    Settings {
        /// Which.
        server: String,
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
        Self::new(Code::ValidationError, error.to_string())
            .with_suggestion("Check the server's command or address, and that it runs on its own.")
    }
}
