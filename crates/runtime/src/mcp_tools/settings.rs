//! How servers are reached, in the form in which MCP clients write it down.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::ConnectError;
use crate::bounds::MCP_SERVERS_MAX;

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ServerSettings {
    /// A program to start; it speaks through its input and output.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        #[serde(default)]
        args: Vec<String>,
        /// What is added to its environment.
        #[serde(default)]
        env: BTreeMap<String, String>,
    },
    /// An address; it speaks over HTTP.
    Http {
        /// The address.
        url: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    mcp_servers: BTreeMap<String, ServerSettings>,
}

/// Reads the `mcpServers` of a file as MCP clients have it.
pub fn parse(text: &str) -> Result<BTreeMap<String, ServerSettings>, ConnectError> {
    let refused = |server: &str, problem: String| ConnectError::Settings {
        server: server.to_owned(),
        problem,
    };
    let file: File = serde_json::from_str(text).map_err(|error| {
        refused("*", format!("`mcpServers` with `command` or `url` each is expected: {error}"))
    })?;
    let count = file.mcp_servers.len();
    if count > MCP_SERVERS_MAX {
        return Err(refused("*", format!("{count} servers, {MCP_SERVERS_MAX} are taken")));
    }
    Ok(file.mcp_servers)
}
