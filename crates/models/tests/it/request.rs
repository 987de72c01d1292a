//! Requests that no provider would take are refused before anything is sent.

use piton_core::Code;
use piton_models::bounds::REQUEST_BYTES_MAX;
use piton_models::testing::ModelServer;
use piton_models::{Message, Options, Request, ToolChoice, ToolSpec, WireFormat};
use serde_json::json;

use crate::site::{HOW, ask, client, question};

fn asking(change: impl FnOnce(&mut Request)) -> Request {
    let mut request = question(WireFormat::OpenAi);
    change(&mut request);
    request
}

fn described(bytes: usize) -> ToolSpec {
    ToolSpec { description: "x".repeat(bytes), ..tool("a") }
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters: json!({}) }
}

#[tokio::test]
async fn a_request_that_breaks_a_rule_is_refused_and_not_sent() {
    let options = |options: Options| asking(|request| request.options = options);
    let table = [
        (Request::new(Vec::new()), "messages"),
        (Request::new(vec![Message::system("be brief")]), "messages"),
        (asking(|request| request.messages = vec![Message::user("x"); 4097]), "4097 messages"),
        (
            asking(|request| request.tools = vec![described(REQUEST_BYTES_MAX)]),
            "messages and tools",
        ),
        (asking(|request| request.model = Some(String::new())), "model has 0 bytes"),
        (options(Options { temperature: Some(2.1), ..Options::default() }), "options.temperature"),
        (
            options(Options { temperature: Some(f64::NAN), ..Options::default() }),
            "options.temperature",
        ),
        (options(Options { top_p: Some(-0.1), ..Options::default() }), "options.topP"),
        (options(Options { max_tokens: Some(0), ..Options::default() }), "options.maxTokens"),
        (options(Options { stop: vec![String::new()], ..Options::default() }), "options.stop[0]"),
        (options(Options { stop: vec!["x".to_owned(); 17], ..Options::default() }), "17 texts"),
        (asking(|request| request.tools = vec![tool("get weather")]), "tools[0].name"),
        (
            asking(|request| request.tools = vec![tool("a"), tool("a")]),
            "tools[1].name is `a` again",
        ),
        (asking(|request| request.tool_choice = ToolChoice::Required), "there is none"),
        (asking(|request| request.tool_choice = ToolChoice::Named { name: "b".to_owned() }), "`b`"),
    ];
    let server = ModelServer::start().await;
    let client = client(&server);
    for (request, part) in table {
        for how in HOW {
            let error = ask(&client, &request, how).await.1.unwrap_err();
            assert_eq!(error.code(), Code::ValidationError, "{part}");
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
    assert!(server.seen().is_empty());
}

#[test]
fn a_request_reads_back_as_it_was_written() {
    let mut request = question(WireFormat::Ollama);
    request.tools = vec![tool("a")];
    request.tool_choice = ToolChoice::Named { name: "a".to_owned() };
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request, "{text}");
}
