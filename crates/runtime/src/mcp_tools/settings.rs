//! Server settings, in the format that MCP clients use.

use std::collections::BTreeMap;

use piton_core::refuse_lost_numbers;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::connect::ConnectError;
use crate::bounds::MCP_SERVERS_MAX;

/// The way to reach a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ServerSettings {
    /// A program to start. It communicates through its standard input and output.
    Command {
        command: String,
        #[serde(default)]
        args: Vec<String>,
        /// Variables added to its environment.
        #[serde(default)]
        env: BTreeMap<String, String>,
    },
    /// An address that is reached over HTTP.
    Http {
        /// Address of the streamable HTTP endpoint.
        url: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServersFile {
    mcp_servers: BTreeMap<String, ServerSettings>,
}

/// Parses the `mcpServers` of a file in the format of MCP clients.
pub fn parse(text: &str) -> Result<BTreeMap<String, ServerSettings>, ConnectError> {
    let refused = |problem: String| ConnectError::File { problem };
    // A number in a place that nothing reads is ignored, unless it prevents the file from being parsed.
    let unread = |error: serde_json::Error| {
        refused(refuse_lost_numbers(text).err().map_or(error.to_string(), |lost| lost.to_string()))
    };
    // Serde would accept a list as the fields in their order, so the text must be an object.
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
