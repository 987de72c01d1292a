//! The tools of another MCP server, on a real socket.

use std::sync::Arc;

use piton_flow::{ToolError, Tools};
use piton_runtime::mcp_tools::{ConnectError, ServerSettings, connect, parse};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;

/// A server with a tool that answers, one that answers in words, and one that fails.
#[derive(Clone)]
struct Other;

impl ServerHandler for Other {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } },
            "required": ["city"] });
        let schema = Arc::new(schema.as_object().unwrap().clone());
        let tool = |name: &'static str| Tool::new(name, "About the weather", Arc::clone(&schema));
        Ok(ListToolsResult::with_all_items(["get.weather", "say", "fail"].map(tool).to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let city = request.arguments.unwrap_or_default()["city"].clone();
        let words = |text: &str| vec![ContentBlock::text(text)];
        Ok(match &*request.name {
            "get.weather" => CallToolResult::structured(json!({ "city": city, "sky": "snow" })),
            "say" => CallToolResult::success(words("it snows")),
            _ => CallToolResult::error(words("no such city")),
        }
        .into())
    }
}

async fn serve() -> ServerSettings {
    let service = StreamableHttpService::new(
        || Ok(Other),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    ServerSettings::Http { url }
}

#[tokio::test]
async fn the_tools_of_a_server_become_tools_of_flows() {
    let mut tools = Tools::new();
    for tool in connect("sky", &serve().await).await.unwrap() {
        tools.register(tool).unwrap();
    }
    assert_eq!(tools.names().collect::<Vec<_>>(), ["sky_fail", "sky_get_weather", "sky_say"]);
    assert_eq!(tools.spec("sky_say").unwrap().description, "About the weather");
    let bern = json!({ "city": "Bern" });
    let structured = tools.call("sky_get_weather", &bern).await.unwrap();
    assert_eq!(structured, json!({ "city": "Bern", "sky": "snow" }));
    assert_eq!(tools.call("sky_say", &bern).await.unwrap(), json!("it snows"));
    let failed = tools.call("sky_fail", &bern).await.unwrap_err();
    assert_eq!(failed.to_string(), "`sky_fail` failed: no such city");
    let refused = tools.call("sky_say", &json!({})).await.unwrap_err();
    assert!(matches!(refused, ToolError::Arguments { .. }), "checked before it is sent");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let nowhere = ServerSettings::Http { url: "http://127.0.0.1:9/mcp".to_owned() };
    let missing = ServerSettings::Command {
        command: "piton-no-such-program".to_owned(),
        args: Vec::new(),
        env: [].into(),
    };
    for settings in [nowhere, missing] {
        let Err(error) = connect("sky", &settings).await else { panic!("{settings:?}") };
        assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains("`sky`"), "{error}");
    }
}

#[test]
fn servers_are_written_as_mcp_clients_write_them() {
    let text = r#"{ "mcpServers": {
        "files": { "command": "files-mcp", "args": ["--root", "."], "env": { "A": "1" } },
        "web": { "type": "http", "url": "http://localhost:1/mcp" } } }"#;
    let servers = parse(text).unwrap();
    assert!(matches!(&servers["files"], ServerSettings::Command { args, .. } if args.len() == 2));
    assert!(matches!(&servers["web"], ServerSettings::Http { .. }));
    for bad in ["{", "[]", "{}", r#"{ "mcpServers": { "a": {} } }"#] {
        assert!(matches!(parse(bad), Err(ConnectError::File { .. })), "{bad}");
    }
}
