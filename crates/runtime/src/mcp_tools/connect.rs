//! Settings of servers, in the format that MCP clients use, and connecting to one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use piton_backpack::flow::Tool;
use piton_core::error::sentence;
use piton_core::{Code, Envelope, refuse_lost_numbers};
use rmcp::ServiceExt as _;
use rmcp::model::Tool as TheirTool;
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::program::{EndReason, Program};
use super::remote_tool::RemoteTool;
use crate::bounds::{MCP_CONNECT_MS_MAX, MCP_SERVERS_MAX, MCP_TOOLS_MAX};

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

/// A connection to a server that answers.
pub(super) struct Session {
    pub(super) service: RunningService<RoleClient, ()>,
    end: EndReason,
}

impl Session {
    /// Describes why the server did not answer.
    pub(super) fn problem(&self, error: &ServiceError) -> String {
        match error {
            ServiceError::TransportClosed => self.end.get().map_or_else(
                || "the connection ended without an answer that can be read".to_owned(),
                ToOwned::to_owned,
            ),
            other => other.to_string(),
        }
    }
}

/// Connects to the server called `name` and returns its tools. The connection lasts as long as any of them.
pub async fn connect(
    name: &str,
    settings: &ServerSettings,
) -> Result<Vec<Arc<dyn Tool>>, ConnectError> {
    match settings {
        ServerSettings::Command { command, args, env } => {
            let mut process = tokio::process::Command::new(command);
            process.args(args).envs(env);
            let end = EndReason::default();
            let transport = Program::start(process, Arc::clone(&end))
                .map_err(|error| unreachable(name, format!("`{command}`: {error}")))?;
            over(name, transport, end).await
        }
        ServerSettings::Http { url } => {
            // From the second call on, a TLS provider is already installed, which is fine.
            let _installed = rustls::crypto::ring::default_provider().install_default();
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            over(name, transport, EndReason::default()).await
        }
    }
}

/// Returns the tools of the server at the other end of a transport.
async fn over<T, E, A>(
    name: &str,
    transport: T,
    end: EndReason,
) -> Result<Vec<Arc<dyn Tool>>, ConnectError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    // Connecting and listing may each take this long.
    let patience = Duration::from_millis(MCP_CONNECT_MS_MAX);
    let late = |_| unreachable(name, format!("no answer within {MCP_CONNECT_MS_MAX} ms"));
    let session = timeout(patience, ().serve(transport)).await.map_err(late)?;
    let service = session.map_err(|error| unreachable(name, error.to_string()))?;
    let session = Session { service, end };
    let listed: Result<Vec<TheirTool>, ServiceError> =
        timeout(patience, session.service.list_all_tools()).await.map_err(late)?;
    let listed = listed.map_err(|error| unreachable(name, session.problem(&error)))?;
    if listed.len() > MCP_TOOLS_MAX {
        let problem = format!("it offers {} tools, {MCP_TOOLS_MAX} are taken", listed.len());
        return Err(unreachable(name, problem));
    }
    // The tools share the session, and the last one to be dropped ends the connection.
    let session = Arc::new(session);
    let remote = |tool: &TheirTool| {
        Arc::new(RemoteTool::new(name, tool, Arc::clone(&session))) as Arc<dyn Tool>
    };
    Ok(listed.iter().map(remote).collect())
}

fn unreachable(server: &str, problem: String) -> ConnectError {
    ConnectError::Unreachable { server: server.to_owned(), problem }
}

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
