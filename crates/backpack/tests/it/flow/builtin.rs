//! The types of nodes that come with Piton, in flows from JSON, against a model server on a real socket.

use std::sync::Arc;

use piton_backpack::flow::{
    Action, EventFilter, EventKind, EventName, Flow, FlowState, FunctionTool, Registry, RunEvent,
    RunOptions, RunReport, Tools,
};
use piton_models::provider::{KeyReference, SecretSource};
use piton_models::testing::{ModelServer, ScriptedReply, SeenRequest};
use piton_models::{ProviderSettings, Providers, WireFormat};
use serde_json::{Value, json};

use crate::flow::site::{clock, heard, runner_with, state, value};

struct NoKeys;

impl SecretSource for NoKeys {
    fn read(&self, _: &KeyReference) -> Result<String, String> {
        Err("there is none".to_owned())
    }
}

/// A client of a server that speaks as OpenAI does.
pub(crate) fn client(server: &ModelServer) -> Arc<Providers> {
    let name = "local".parse().unwrap();
    let settings = ProviderSettings {
        base_url: Some(server.base_url(WireFormat::OpenAi)),
        model: Some("small".to_owned()),
        ..ProviderSettings::new(name, WireFormat::OpenAi)
    };
    let default = Some(settings.name.clone());
    Arc::new(Providers::new(vec![settings], default, Arc::new(NoKeys)).unwrap())
}

/// A tool that knows the weather of one city.
pub(crate) fn weather() -> Tools {
    let schema = json!({
        "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"],
    });
    let tool = FunctionTool::new("get_weather", "The weather of a city", schema, |arguments| {
        std::future::ready(match arguments["city"].as_str() {
            Some("Bern") => Ok(json!({ "sky": "snow" })),
            _ => Err("no such city".to_owned()),
        })
    });
    let mut tools = Tools::new();
    tools.register(Arc::new(tool)).unwrap();
    tools
}

pub(crate) struct Ran {
    pub(crate) report: RunReport,
    pub(crate) events: Vec<Arc<RunEvent>>,
    pub(crate) seen: Vec<SeenRequest>,
}

/// Runs a flow from JSON with the weather tool.
pub(crate) async fn run(server: &ModelServer, text: &Value, state: &FlowState) -> Ran {
    let tools = weather();
    let flow = Flow::from_json(&text.to_string(), &Registry::builtin(tools.clone())).unwrap().flow;
    let runner = runner_with(client(server), tools, clock());
    let mut subscription = runner.subscribe(EventFilter::default());
    let report = runner.run(&flow, state, RunOptions::default()).await;
    Ran { report, events: heard(&mut subscription), seen: server.seen() }
}

fn prompt(seen: &SeenRequest) -> &str {
    seen.body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap()
}

// shows: BP-079 (with a_decision_lets_the_model_choose_the_way_by_a_tool_or_in_words, a_tool_call_packs_what_the_tool_gives_back, a_tool_that_fails_is_packed_routed_or_ends_the_flow, a_model_writes_the_arguments_of_a_tool_and_wrong_ones_are_asked_for_again, an_agent_calls_tools_until_it_answers, a_flow_may_be_written_into_a_node)
// shows in part: BP-090 (the part about model chunks)
#[tokio::test]
async fn chat_asks_a_model_with_what_the_prompt_names_and_packs_the_answer() {
    let server = ModelServer::start().await;
    let state =
        state(&[("topic", json!("rust")), ("other", json!("canary")), ("list", json!([1, 2]))]);
    for stream in [false, true] {
        server.push_reply(ScriptedReply::text("it is iron oxide"));
        let text = json!({ "nodes": [{ "id": "ask", "type": "chat", "params": {
            "system": "be brief", "prompt": "what is {{topic}}? {{list}}{{missing?}}",
            "output": "said", "stream": stream, "options": { "temperature": 0.5 },
        } }] });
        let ran = run(&server, &text, &state).await;
        assert_eq!(ran.report.outcome.unwrap(), Action::Default);
        assert_eq!(value(&state, "said"), json!("it is iron oxide"));
        let seen = ran.seen.last().unwrap();
        assert_eq!(prompt(seen), "what is rust? [1,2]");
        assert_eq!(seen.body["messages"][0], json!({ "role": "system", "content": "be brief" }));
        assert_eq!(seen.body["temperature"], json!(0.5));
        let chunks: Vec<&str> = ran
            .events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::ModelChunk { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let expected = if stream { "it is iron oxide" } else { "" };
        assert_eq!(chunks.concat(), expected);
        assert!(!ran.seen.iter().any(|seen| seen.body.to_string().contains("canary")));
    }
}

// shows: BP-093
#[tokio::test]
async fn the_prompt_that_was_sent_is_in_the_trace_and_no_node_sees_it() {
    let server = ModelServer::start().await;
    server.push_reply(ScriptedReply::status(503, "busy")).push_reply(ScriptedReply::text("yes"));
    let state = state(&[("topic", json!("rust"))]);
    let text = json!({ "nodes": [{ "id": "ask", "type": "chat", "retry": { "attempts": 2 },
        "params": { "system": "be brief", "prompt": "what is {{topic}}?" } }] });
    let ran = run(&server, &text, &state).await;
    ran.report.outcome.unwrap();
    let entries = state.backpack().debug().quarantined();
    let traced: Vec<Value> = entries
        .iter()
        .filter(|entry| entry.key().as_str() == "ask.prompt")
        .map(|entry| entry.value::<Value>().unwrap().unwrap())
        .collect();
    assert_eq!(traced.len(), 2, "one for each attempt");
    for (traced, seen) in traced.iter().zip(&ran.seen) {
        let ours: Vec<&Value> =
            traced["messages"].as_array().unwrap().iter().map(|m| &m["text"]).collect();
        let sent: Vec<&Value> =
            seen.body["messages"].as_array().unwrap().iter().map(|m| &m["content"]).collect();
        assert_eq!(ours, sent);
    }
    let node = piton_backpack::NodeIdentity::new("any", "any").unwrap();
    let scope = state.backpack().scope(node, None).unwrap();
    assert_eq!(scope.unpack::<Value>("ask.prompt").unwrap(), None);
}

// shows in part: BP-079 (the part about decisions)
#[tokio::test]
async fn a_decision_lets_the_model_choose_the_way_by_a_tool_or_in_words() {
    let table = [
        (
            ScriptedReply::call("decide", json!({ "choice": "search", "reason": "facts" })),
            Some("search"),
        ),
        (ScriptedReply::text("I would say: direct."), Some("direct")),
        (ScriptedReply::text("search or direct, who knows"), None),
        (ScriptedReply::call("decide", json!({ "choice": "fly" })), None),
    ];
    for (reply, expected) in table {
        let server = ModelServer::start().await;
        server.push_reply(reply);
        let text = json!({
            "nodes": [
                { "id": "choose", "type": "decision", "params": { "prompt": "{{query}}",
                  "choices": [{ "action": "search", "when": "facts are needed" }, { "action": "direct" }] } },
                { "id": "find", "type": "final_answer", "params": { "prompt": "find", "output": "search" } },
                { "id": "say", "type": "final_answer", "params": { "prompt": "say", "output": "direct" } },
            ],
            "edges": [{ "from": "choose", "to": "find", "condition": "search" },
                      { "from": "choose", "to": "say", "condition": "direct" }],
        });
        server.push_reply(ScriptedReply::text("reached"));
        let state = state(&[("query", json!("how tall is the Eiger?"))]);
        let ran = run(&server, &text, &state).await;
        assert_eq!(ran.report.outcome.is_ok(), expected.is_some());
        if let Some(action) = expected {
            assert_eq!(value(&state, action), json!("reached"));
            assert_eq!(value(&state, "decision")["action"], json!(action));
        }
        let seen = &ran.seen[0];
        assert!(prompt(seen).contains("- search: facts are needed"), "{}", prompt(seen));
        assert_eq!(seen.body["tools"][0]["function"]["name"], "decide");
    }
}

fn tool_flow(arguments: &Value) -> Value {
    json!({ "nodes": [{ "id": "call", "type": "tool_call",
        "params": { "tool": "get_weather", "arguments": arguments, "output": "weather" } }] })
}

// shows in part: BP-079 (the part about tool calls), BP-090 (the part about tool calls)
#[tokio::test]
async fn a_tool_call_packs_what_the_tool_gives_back() {
    let server = ModelServer::start().await;
    let state = state(&[]);
    let ran = run(&server, &tool_flow(&json!({ "city": "Bern" })), &state).await;
    ran.report.outcome.unwrap();
    assert_eq!(value(&state, "weather"), json!({ "success": true, "result": { "sky": "snow" } }));
    let called = ran.events.iter().find(|event| event.kind.name() == EventName::ToolCall).unwrap();
    let EventKind::ToolCall { tool, arguments, succeeded, .. } = &called.kind else { panic!() };
    assert_eq!(
        (tool.as_str(), arguments.as_str(), *succeeded),
        ("get_weather", r#"{"city":"Bern"}"#, true)
    );
}

// shows in part: BP-079 (the part about tool calls that fail)
#[tokio::test]
async fn a_tool_that_fails_is_packed_routed_or_ends_the_flow() {
    for (on_error, outcome) in [("pack", Some("default")), ("route", Some("error")), ("fail", None)]
    {
        let server = ModelServer::start().await;
        let mut text = tool_flow(&json!({ "city": "Atlantis" }));
        text["nodes"][0]["params"]["onError"] = json!(on_error);
        let state = state(&[]);
        let ran = run(&server, &text, &state).await;
        match outcome {
            None => {
                let error = ran.report.outcome.unwrap_err().to_string();
                assert!(error.contains("`get_weather` failed: no such city"), "{error}");
            }
            Some(action) => {
                assert_eq!(ran.report.outcome.unwrap().to_string(), action);
                let words = "`get_weather` failed: no such city";
                assert_eq!(value(&state, "weather"), json!({ "success": false, "error": words }));
            }
        }
    }
}

// shows in part: BP-079 (the part about tool parameters)
#[tokio::test]
async fn a_model_writes_the_arguments_of_a_tool_and_wrong_ones_are_asked_for_again() {
    let server = ModelServer::start().await;
    server
        .push_reply(ScriptedReply::call("get_weather", json!({ "town": "Bern" })))
        .push_reply(ScriptedReply::text("here: ```json\n{ \"city\": \"Bern\" }\n```"));
    let text = json!({ "nodes": [{ "id": "write", "type": "tool_params", "retry": { "attempts": 2 },
        "params": { "tool": "get_weather", "prompt": "{{query}}" } }] });
    let state = state(&[("query", json!("will it snow in Bern?"))]);
    let ran = run(&server, &text, &state).await;
    ran.report.outcome.unwrap();
    assert_eq!(value(&state, "arguments"), json!({ "city": "Bern" }));
    assert_eq!(ran.seen.len(), 2);
    assert_eq!(ran.seen[0].body["tool_choice"]["function"]["name"], "get_weather");
}

fn agent(calls_max: u64) -> Value {
    json!({ "namespace": "home", "nodes": [{ "id": "helper", "type": "agent", "params": {
        "prompt": "{{query}}", "tools": ["get_weather"], "callsMax": calls_max } }] })
}

// shows in part: BP-079 (the part about agents and final answers)
#[tokio::test]
async fn an_agent_calls_tools_until_it_answers() {
    let server = ModelServer::start().await;
    server
        .push_reply(ScriptedReply::call("decide", json!({ "choice": "get_weather" })))
        .push_reply(ScriptedReply::call("get_weather", json!({ "city": "Atlantis" })))
        .push_reply(ScriptedReply::call("decide", json!({ "choice": "get_weather" })))
        .push_reply(ScriptedReply::call("get_weather", json!({ "city": "Bern" })))
        .push_reply(ScriptedReply::call("decide", json!({ "choice": "answer" })))
        .push_reply(ScriptedReply::text("it snows in Bern"));
    let state = state(&[("query", json!("where does it snow?"))]);
    let ran = run(&server, &agent(5), &state).await;
    assert_eq!(ran.report.outcome.unwrap(), Action::Default);
    assert_eq!(value(&state, "answer"), json!("it snows in Bern"));
    let last = prompt(ran.seen.last().unwrap());
    assert!(last.contains("1. get_weather({\"city\":\"Atlantis\"}) gave {\"error\":"), "{last}");
    assert!(last.contains("2. get_weather({\"city\":\"Bern\"}) gave"), "{last}");
    let item = state.backpack().debug().item("answer").unwrap().unwrap();
    assert_eq!(item.namespace().unwrap().as_str(), "home.helper.answer");
    let round = ["helper/decide", "helper/params", "helper/call", "helper/note"];
    let mut expected = vec!["helper"];
    expected.extend(round.iter().chain(&round));
    expected.extend(["helper/decide", "helper/answer"]);
    assert_eq!(crate::flow::site::visited(&ran.events), expected);
}

#[tokio::test]
async fn an_agent_that_has_called_enough_tools_has_to_answer() {
    let server = ModelServer::start().await;
    server
        .push_reply(ScriptedReply::call("decide", json!({ "choice": "get_weather" })))
        .push_reply(ScriptedReply::call("get_weather", json!({ "city": "Bern" })))
        .push_reply(ScriptedReply::text("snow"));
    let state = state(&[("query", json!("?"))]);
    let ran = run(&server, &agent(1), &state).await;
    ran.report.outcome.unwrap();
    assert_eq!((value(&state, "answer"), ran.seen.len()), (json!("snow"), 3));
}

#[tokio::test]
async fn an_agent_may_touch_what_its_place_declares_and_what_it_packs_itself() {
    let server = ModelServer::start().await;
    server
        .push_reply(ScriptedReply::call("decide", json!({ "choice": "get_weather" })))
        .push_reply(ScriptedReply::call("get_weather", json!({ "city": "Bern" })))
        .push_reply(ScriptedReply::call("decide", json!({ "choice": "answer" })))
        .push_reply(ScriptedReply::text("snow"));
    let mut text = agent(5);
    text["nodes"][0]["permissions"] = json!({ "read": ["query"] });
    let initial = [("query", json!("?")), ("secret", json!("canary"))];
    let (allowed, denied) = (state(&initial), state(&initial));
    run(&server, &text, &allowed).await.report.outcome.unwrap();
    assert_eq!(value(&allowed, "answer"), json!("snow"));
    text["nodes"][0]["params"]["prompt"] = json!("{{secret}}");
    let ran = run(&server, &text, &denied).await;
    let error = ran.report.outcome.unwrap_err().to_string();
    assert_eq!(
        error,
        "node `helper/decide` failed in prep: the node `helper/decide` may not read `secret`"
    );
    assert!(!ran.seen.iter().any(|seen| seen.body.to_string().contains("canary")));
}

// shows in part: BP-079 (the part about sub-flows)
#[tokio::test]
async fn a_flow_may_be_written_into_a_node() {
    let server = ModelServer::start().await;
    server.push_reply(ScriptedReply::text("inner")).push_reply(ScriptedReply::text("outer"));
    let chat =
        |id: &str| json!({ "id": id, "type": "chat", "params": { "prompt": "hi", "output": id } });
    let text = json!({
        "namespace": "a",
        "nodes": [{ "id": "sub", "type": "flow", "params": { "flow": { "nodes": [chat("first")] } } },
                  chat("second")],
        "edges": [{ "from": "sub", "to": "second" }],
    });
    let state = state(&[]);
    run(&server, &text, &state).await.report.outcome.unwrap();
    assert_eq!((value(&state, "first"), value(&state, "second")), (json!("inner"), json!("outer")));
    let item = state.backpack().debug().item("first").unwrap().unwrap();
    assert_eq!(item.namespace().unwrap().as_str(), "a.sub.first");
}

#[test]
fn what_is_odd_in_a_flow_that_is_written_into_a_node_is_told_too() {
    let chat = |id: &str| json!({ "id": id, "type": "chat", "params": { "prompt": "hi" } });
    let inner = json!({ "nodes": [chat("first"), chat("lost")] });
    let text = json!({ "nodes": [{ "id": "sub", "type": "flow", "params": { "flow": inner } }] });
    let loaded = Flow::from_json(&text.to_string(), &Registry::builtin(weather())).unwrap();
    let told: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["nodes[0].params.flow.nodes[1]: no way leads to `lost` from `first`"]);
}

#[test]
fn problems_with_parameters_have_their_place() {
    let registry = Registry::builtin(weather());
    let table = [
        ("chat", json!({}), "nodes[0].params", "prompt"),
        ("chat", json!({ "prompt": "{{a" }), "nodes[0].params.prompt", "does not end"),
        ("chat", json!({ "prompt": "x", "output": "" }), "nodes[0].params.output", "empty"),
        ("chat", json!({ "prompt": "x", "extra": 1 }), "nodes[0].params", "extra"),
        (
            "chat",
            json!({ "prompt": "x", "options": { "topP": 3 } }),
            "nodes[0].params",
            "options.topP",
        ),
        (
            "decision",
            json!({ "prompt": "x", "choices": [] }),
            "nodes[0].params.choices",
            "two choices",
        ),
        ("tool_call", json!({ "tool": "nope" }), "nodes[0].params.tool", "no tool `nope`"),
        ("tool_call", json!({}), "nodes[0].params.tool", "either"),
        ("tool_call", json!({ "tool": "get_weather" }), "nodes[0].params.arguments", "city"),
        ("tool_params", json!({ "prompt": "x" }), "nodes[0].params.tool", "either"),
        ("agent", json!({ "prompt": "x", "tools": [] }), "nodes[0].params.tools", "at least one"),
        (
            "agent",
            json!({ "prompt": "x", "tools": ["a"] }),
            "nodes[0].params.tools[0]",
            "no tool `a`",
        ),
        (
            "agent",
            json!({ "prompt": "x", "tools": ["answer"] }),
            "nodes[0].params.tools[0]",
            "another name",
        ),
        (
            "agent",
            json!({ "prompt": "x", "tools": ["get_weather", "get_weather"] }),
            "nodes[0].params.tools[1]",
            "there already",
        ),
        ("flow", json!({}), "nodes[0].params.flow", "missing"),
        (
            "flow",
            json!({ "flow": { "nodes": [{ "id": "b", "type": "flow", "params": { "x": 1, "flow": {
                "nodes": [{ "id": "c", "type": "chat", "params": { "prompt": "x" } }] } } }] } }),
            "nodes[0].params.flow.nodes[0].params.x",
            "no such field",
        ),
        (
            "flow",
            json!({ "flow": { "nodes": [{ "id": "a" }] } }),
            "nodes[0].params.flow.nodes[0].type",
            "missing",
        ),
    ];
    for (kind, params, path, words) in table {
        let text = json!({ "nodes": [{ "id": "a", "type": kind, "params": params }] }).to_string();
        let found = Flow::check_json(&text, &registry);
        assert_eq!(found.len(), 1, "{kind}: {found:?}");
        assert_eq!(found[0].path, path, "{kind}: {found:?}");
        assert!(found[0].message.contains(words), "{kind}: {found:?}");
    }
}

// shows in part: BP-072 (the part about batches from JSON)
#[tokio::test]
async fn chat_each_asks_about_every_entry_and_packs_the_answers_in_order() {
    for parallel in [false, true] {
        let server = ModelServer::start().await;
        let state = state(&[("texts", json!(["one", { "two": 2 }])), ("who", json!("Ada"))]);
        server.push_reply(ScriptedReply::text("first")).push_reply(ScriptedReply::text("second"));
        let text = json!({ "nodes": [{ "id": "each", "type": "chat_each", "params": {
            "over": "texts", "prompt": "For {{who}}:", "output": "sums", "parallel": parallel } }] });
        let ran = run(&server, &text, &state).await;
        ran.report.outcome.unwrap();
        let mut prompts: Vec<&str> = ran.seen.iter().map(prompt).collect();
        prompts.sort_unstable();
        assert_eq!(prompts, ["For Ada:\n\none", "For Ada:\n\n{\"two\":2}"]);
        let mut answers: Vec<String> = serde_json::from_value(value(&state, "sums")).unwrap();
        if parallel {
            // The server answers in the order in which it was asked, which is anybody's guess here.
            answers.sort_unstable();
        }
        assert_eq!(answers, ["first", "second"]);
    }
    let server = ModelServer::start().await;
    let long = json!("x".repeat(1024 * 1024));
    for (texts, words) in [
        (json!("no list"), "what lies under `texts` is no list"),
        (json!(vec!["t"; 65]), "the prompts for 65 entries have"),
    ] {
        let state = state(&[("texts", texts), ("long", long.clone())]);
        let params = json!({ "over": "texts", "prompt": "{{long}}" });
        let text = json!({ "nodes": [{ "id": "each", "type": "chat_each", "params": params }] });
        let ran = run(&server, &text, &state).await;
        let error = ran.report.outcome.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(ran.seen.is_empty(), "nobody is asked");
    }
}

/// A tool that says what it was given, and one that hands out large ids.
fn echo() -> Tools {
    let mut tools = Tools::new();
    let any = json!({ "type": "object" });
    let echo = FunctionTool::new("echo", "Says it again", any.clone(), |arguments| {
        std::future::ready(Ok(arguments.clone()))
    });
    let ids = FunctionTool::new("ids", "Hands out ids", any, |_| {
        std::future::ready(Ok(json!({ "id": u64::MAX, "ids": [9_007_199_254_740_993_u64, 7] })))
    });
    tools.register(Arc::new(echo)).unwrap();
    tools.register(Arc::new(ids)).unwrap();
    tools
}

async fn call(tool: &str, arguments: &Value, state: &FlowState) -> (RunReport, Vec<Arc<RunEvent>>) {
    let text = json!({ "nodes": [{ "id": "call", "type": "tool_call", "params": {
        "tool": tool, "arguments": arguments, "onError": "fail" } }] });
    let tools = echo();
    let registry = Registry::builtin(tools.clone());
    let flow = Flow::from_json(&text.to_string(), &registry).unwrap().flow;
    let server = ModelServer::start().await;
    let runner = runner_with(client(&server), tools, clock());
    let mut subscription = runner.subscribe(EventFilter::default());
    let report = runner.run(&flow, state, RunOptions::default()).await;
    (report, heard(&mut subscription))
}

#[tokio::test]
async fn arguments_of_a_tool_are_templates_that_lead_into_values() {
    let initial = [
        ("city", json!("Bern")),
        ("count", json!(3)),
        ("found", json!({ "success": true, "result": { "cities": ["Bern", "Thun"] } })),
        ("found.result.whole", json!("a key of its own")),
    ];
    let table = [
        (json!({ "q": "in {{city}} {{count}} times" }), json!({ "q": "in Bern 3 times" })),
        (json!({ "n": "{{count}}" }), json!({ "n": 3 })),
        (json!({ "n": "{{ count }}!" }), json!({ "n": "3!" })),
        (json!({ "q": "{{found.result.cities.1}}" }), json!({ "q": "Thun" })),
        (json!({ "q": ["{{found.result.cities}}", 1] }), json!({ "q": [["Bern", "Thun"], 1] })),
        (json!({ "q": "{{found.result.whole}}" }), json!({ "q": "a key of its own" })),
        (json!({ "a": "{{none?}}", "b": "x{{none?}}" }), json!({ "b": "x" })),
        (json!({ "a": "{{found.nothing.here?}}" }), json!({})),
        (
            json!({ "a": { "b": "{{city}}" }, "c": null }),
            json!({ "a": { "b": "Bern" }, "c": null }),
        ),
    ];
    for (arguments, expected) in table {
        let state = state(&initial);
        let (report, _) = call("echo", &arguments, &state).await;
        report.outcome.unwrap();
        assert_eq!(value(&state, "result")["result"], expected, "{arguments}");
    }
    for (arguments, words) in [
        (json!({ "q": "{{none}}" }), "none"),
        (json!({ "q": "{{found.nothing}}" }), "`found` has nothing at `nothing`"),
        (json!({ "q": "{{found.result.cities.9}}" }), "`found` has nothing at `result.cities.9`"),
    ] {
        let (report, _) = call("echo", &arguments, &state(&initial)).await;
        let error = report.outcome.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let bad = json!({ "nodes": [{ "id": "call", "type": "tool_call", "params": {
        "tool": "echo", "arguments": { "a": ["x", "{{open"] } } }] });
    let problems = Flow::check_json(&bad.to_string(), &Registry::builtin(echo()));
    assert_eq!(problems[0].path, "nodes[0].params.arguments.a[1]", "{problems:?}");
}

#[tokio::test]
async fn whole_numbers_beyond_2_to_the_53_are_kept_as_texts_and_said_so() {
    let state = state(&[]);
    let (report, events) = call("ids", &json!({}), &state).await;
    report.outcome.unwrap();
    let expected = json!({ "id": "18446744073709551615", "ids": ["9007199254740993", 7] });
    assert_eq!(value(&state, "result")["result"], expected);
    let warned = events.iter().any(|event| {
        matches!(&event.kind, EventKind::Warning { message } if message.contains("2 kept as texts"))
    });
    assert!(warned, "{events:?}");
}
