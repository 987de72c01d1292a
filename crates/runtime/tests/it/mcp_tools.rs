//! The tools of another MCP server, on a real socket.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use piton_backpack::flow::{ToolError, Tools};
use piton_runtime::mcp_tools::{ConnectError, ServerSettings, connect, parse};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};

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
    assert_eq!(structured.value, json!({ "city": "Bern", "sky": "snow" }));
    assert_eq!(tools.call("sky_say", &bern).await.unwrap().value, json!("it snows"));
    let failed = tools.call("sky_fail", &bern).await.unwrap_err();
    assert_eq!(failed.to_string(), "`sky_fail` failed: no such city");
    let refused = tools.call("sky_say", &json!({})).await.unwrap_err();
    assert!(matches!(refused, ToolError::Arguments { .. }), "checked before it is sent");
}

/// A program with one tool. It writes its process id into `$1`, and leaves a call to `$2`.
const PROGRAM: &str = r#"
echo $$ > "$1"
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"do","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) echo 'no message'; eval "$2" ;;
    *'"method":"notifications/'*) continue ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
eval "$3"
"#;

/// Starts the program, and gives its tool and its process id.
async fn start(call: &str, end: &str) -> (Tools, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pid");
    let args = ["-c", PROGRAM, "sh", file.to_str().unwrap(), call, end];
    let settings = ServerSettings::Command {
        command: "sh".to_owned(),
        args: args.map(str::to_owned).to_vec(),
        env: [].into(),
    };
    let mut tools = Tools::new();
    for tool in connect("a", &settings).await.unwrap() {
        tools.register(tool).unwrap();
    }
    let id = std::fs::read_to_string(file).unwrap();
    (tools, id.trim().to_owned())
}

fn is_there(process: &str) -> bool {
    let asked = Command::new("kill").args(["-0", process]).stderr(Stdio::null()).status();
    asked.unwrap().success()
}

/// Waits until a process is gone.
async fn until_gone(process: &str) {
    let gone = async {
        while is_there(process) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("the program ends");
}

#[tokio::test]
async fn a_program_ends_with_its_last_tool_also_one_that_does_not_want_to() {
    for end in ["", "exec sleep 600"] {
        let (tools, process) = start("result='{\"content\":[]}'", end).await;
        let kept = tools.clone();
        drop(tools);
        kept.call("a_do", &json!({})).await.unwrap();
        assert!(is_there(&process), "it lasts as long as one of them");
        drop(kept);
        until_gone(&process).await;
    }
}

#[tokio::test]
async fn a_program_that_ends_or_sends_too_much_fails_the_call_at_once() {
    let table = [
        ("exit 3", "the connection ended without an answer"),
        ("head -c 17000000 /dev/zero | tr '\\0' x; sleep 600", "more than 16777216 bytes"),
    ];
    for (call, words) in table {
        let (tools, process) = start(call, "").await;
        for _ in 0..2 {
            let error = tools.call("a_do", &json!({})).await.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        until_gone(&process).await;
    }
}

/// Answers over HTTP as it is told: the result of a call is `number`, in a body or in an event.
fn answer(number: &str, is_event: bool, body: &str) -> axum::response::Response {
    use axum::{body::Body, http::header::CONTENT_TYPE, response::Response};

    let message: Value = serde_json::from_str(body).unwrap();
    let Some(id) = message.get("id") else {
        return Response::builder().status(202).body(Body::empty()).unwrap();
    };
    let is_call = message["method"] == "tools/call";
    let answer = match message["method"].as_str().unwrap() {
        "initialize" => r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},
            "serverInfo":{"name":"a","version":"1"}}"#
            .to_owned(),
        "tools/list" => {
            r#""result":{"tools":[{"name":"do","inputSchema":{"type":"object"}}]}"#.to_owned()
        }
        "tools/call" => format!(r#""result":{{"content":[],"structuredContent":[{number}]}}"#),
        _ => r#""error":{"code":-32601,"message":"no"}"#.to_owned(),
    };
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#);
    if is_call && is_event {
        let event = Body::from(format!("data: {answer}\n\n"));
        return Response::builder().header(CONTENT_TYPE, "text/event-stream").body(event).unwrap();
    }
    Response::builder().header(CONTENT_TYPE, "application/json").body(answer.into()).unwrap()
}

#[tokio::test]
async fn over_http_an_answer_that_cannot_be_read_ends_the_call_and_rounded_numbers_are_suspected() {
    let unread = "the connection ended without an answer that can be read";
    for (is_event, words) in [(false, "number out of range"), (true, unread)] {
        for (number, is_read) in [("18446744073709551616", true), ("1e400", false)] {
            let handler = move |body: String| async move { answer(number, is_event, &body) };
            let router = axum::Router::new().route("/mcp", axum::routing::post(handler));
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/mcp", listener.local_addr().unwrap());
            tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
            let tool = connect("a", &ServerSettings::Http { url }).await.unwrap().remove(0);
            let arguments = json!({});
            let call = tokio::time::timeout(Duration::from_secs(30), tool.call(&arguments));
            match call.await.expect("nobody waits for what was sent already") {
                Ok(result) if is_read => assert_eq!(result.numbers_kept, None, "{result:?}"),
                Err(problem) if !is_read => assert!(problem.contains(words), "{problem}"),
                other => panic!("{number}: {other:?}"),
            }
        }
    }
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
