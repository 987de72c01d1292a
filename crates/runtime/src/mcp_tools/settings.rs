//! How servers are reached, in the form in which MCP clients write it down.

use std::collections::BTreeMap;

use piton_core::refuse_lost_numbers;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
struct ServersFile {
    mcp_servers: BTreeMap<String, ServerSettings>,
}

/// Reads the `mcpServers` of a file as MCP clients have it.
pub fn parse(text: &str) -> Result<BTreeMap<String, ServerSettings>, ConnectError> {
    let refused = |problem: String| ConnectError::File { problem };
    // A number where nothing looks for one is ignored, unless it keeps the file from being read.
    let unread = |error: serde_json::Error| {
        refused(refuse_lost_numbers(text).err().map_or(error.to_string(), |lost| lost.to_string()))
    };
    // A list would be read as the fields in their order.
    let _: Map<String, Value> = serde_json::from_str(text).map_err(unread)?;
    let file: ServersFile = serde_json::from_str(text).map_err(unread)?;
    let count = file.mcp_servers.len();
    if count > MCP_SERVERS_MAX {
        return Err(refused(format!(
            "it names {count} servers; at most {MCP_SERVERS_MAX} are taken"
        )));
    }
    Ok(file.mcp_servers)
}
