//! Each wire format, whole and in pieces.

use piton_models::testing::{ModelServer, ScriptedReply};
use piton_models::{Finish, Message, Options, ToolCall, ToolChoice, ToolSpec, WireFormat};
use serde_json::{Value, json};

use crate::site::{HOW, How, KEY, ask, client, name, question};

// shows: CT-070
#[tokio::test]
async fn every_wire_format_gives_the_same_answer_whole_and_in_pieces() {
    let server = ModelServer::start().await;
    let client = client(&server);
    for wire in WireFormat::ALL {
        for how in HOW {
            server.push_reply(ScriptedReply::text("it is 42"));
            let (texts, answer) = ask(&client, &question(*wire), how).await;
            let answer = answer.unwrap();
            assert_eq!(answer.text, "it is 42", "{wire} {how:?}");
            assert_eq!(answer.provider, name(*wire));
            assert_eq!(answer.model, "small");
            if how == How::Pieces {
                assert_eq!(texts, ["it ", "is ", "42"], "{wire}");
            }
        }
    }
    let paths: Vec<String> = server.seen().into_iter().map(|seen| seen.path).collect();
    let [openai, anthropic, ollama] = ["/v1/chat/completions", "/v1/messages", "/api/chat"];
    assert_eq!(paths, [openai, openai, anthropic, anthropic, ollama, ollama]);
}

// shows: CT-071
#[tokio::test]
async fn options_arrive_and_usage_and_reason_come_back() {
    let server = ModelServer::start().await;
    let client = client(&server);
    for wire in WireFormat::ALL {
        for how in HOW {
            server.push_reply(ScriptedReply::text("it is"));
            let mut request = question(*wire);
            request.model = Some("large".to_owned());
            request.options = Options {
                temperature: Some(0.5),
                max_tokens: Some(17),
                top_p: Some(0.25),
                stop: vec!["END".to_owned()],
            };
            let answer = ask(&client, &request, how).await.1.unwrap();
            assert_eq!(answer.finish, Finish::Complete, "{wire} {how:?}");
            assert_eq!(
                (answer.usage.input_tokens, answer.usage.output_tokens),
                (Some(11), Some(7))
            );
            assert_eq!(answer.usage.total(), 18);
            let body = server.seen().last().unwrap().body.clone();
            let sent = match wire {
                WireFormat::OpenAi => ["/temperature", "/max_tokens", "/top_p", "/stop/0"],
                WireFormat::Anthropic => {
                    ["/temperature", "/max_tokens", "/top_p", "/stop_sequences/0"]
                }
                WireFormat::Ollama => [
                    "/options/temperature",
                    "/options/num_predict",
                    "/options/top_p",
                    "/options/stop/0",
                ],
            };
            let found: Vec<Value> =
                sent.iter().map(|path| body.pointer(path).cloned().unwrap_or_default()).collect();
            assert_eq!(found, [json!(0.5), json!(17), json!(0.25), json!("END")], "{wire}: {body}");
            assert_eq!(body["model"], "large");
        }
    }
}

#[tokio::test]
async fn an_answer_without_a_limit_of_tokens_is_asked_for_with_ours() {
    let server = ModelServer::start().await;
    server.push_reply(ScriptedReply::text("yes"));
    client(&server).call_whole(WireFormat::Anthropic).await;
    assert_eq!(server.seen()[0].body["max_tokens"], 4096);
}

// shows in part: CT-070 (the part about tool calls in one message shape)
#[tokio::test]
async fn tools_are_called_and_answered_in_every_wire_format() {
    let server = ModelServer::start().await;
    let client = client(&server);
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let arguments = json!({ "city": "Zürich" });
    for wire in WireFormat::ALL {
        for how in HOW {
            let mut request = question(*wire);
            request.tools = vec![ToolSpec {
                name: "get_weather".to_owned(),
                description: "The weather of a city".to_owned(),
                parameters: schema.clone(),
            }];
            request.tool_choice = ToolChoice::Auto;
            server.push_reply(ScriptedReply::call("get_weather", arguments.clone()));
            let answer = ask(&client, &request, how).await.1.unwrap();
            assert_eq!(answer.finish, Finish::ToolCalls, "{wire} {how:?}");
            let [call] = answer.tool_calls.as_slice() else { panic!("{answer:?}") };
            assert_eq!(
                (call.name.as_str(), &call.arguments),
                ("get_weather", &arguments),
                "{wire} {how:?}"
            );
            assert!(!call.id.is_empty());
            request.messages.push(Message::Assistant {
                text: String::new(),
                tool_calls: answer.tool_calls.clone(),
            });
            request.messages.push(Message::tool(call, "snow"));
            server.push_reply(ScriptedReply::text("it snows"));
            assert_eq!(ask(&client, &request, how).await.1.unwrap().text, "it snows");
            check_tool_messages(*wire, &server.seen().last().unwrap().body, call);
        }
    }
}

fn check_tool_messages(wire: WireFormat, body: &Value, call: &ToolCall) {
    let messages = body["messages"].as_array().unwrap();
    let [.., asked, told] = messages.as_slice() else { panic!("{body}") };
    let text = told.to_string();
    assert!(text.contains("snow"), "{wire}: {text}");
    assert!(asked.to_string().contains("get_weather"), "{wire}: {asked}");
    if wire != WireFormat::Ollama {
        assert!(text.contains(&call.id), "{wire}: {text}");
    }
    assert!(body["tools"].to_string().contains("get_weather"), "{wire}");
}

#[tokio::test]
async fn a_call_without_arguments_has_an_empty_object_of_them() {
    let server = ModelServer::start().await;
    let client = client(&server);
    server.push_reply(ScriptedReply::call("now", json!({})));
    let mut request = question(WireFormat::OpenAi);
    let (name, description) = ("now".to_owned(), "The time".to_owned());
    request.tools = vec![ToolSpec { name, description, parameters: json!({ "type": "object" }) }];
    let answer = ask(&client, &request, How::Pieces).await.1.unwrap();
    assert_eq!(answer.tool_calls[0].arguments, json!({}));
}

// shows in part: CT-070 (the part about several providers at once, each with its base URL and key)
#[tokio::test]
async fn each_provider_is_called_where_it_is_and_with_its_key() {
    let (one, two) = (ModelServer::start().await, ModelServer::start().await);
    one.push_reply(ScriptedReply::text("one"));
    two.push_reply(ScriptedReply::text("two"));
    let mut here = crate::site::settings(&one, WireFormat::OpenAi);
    here.name = "here".parse().unwrap();
    let mut there = crate::site::settings(&two, WireFormat::Anthropic);
    there.name = "there".parse().unwrap();
    let client = piton_models::Providers::new(
        vec![here, there],
        Some("here".parse().unwrap()),
        std::sync::Arc::new(crate::site::OneKey(KEY)),
    )
    .unwrap();
    let mut request = question(WireFormat::OpenAi);
    request.provider = None;
    assert_eq!(ask(&client, &request, How::Whole).await.1.unwrap().text, "one");
    request.provider = Some("there".parse().unwrap());
    assert_eq!(ask(&client, &request, How::Whole).await.1.unwrap().text, "two");
    let bearer = format!("Bearer {KEY}");
    assert_eq!(one.seen()[0].header("authorization"), Some(bearer.as_str()));
    assert_eq!(two.seen()[0].header("x-api-key"), Some(KEY));
}

trait CallWhole {
    async fn call_whole(&self, wire: WireFormat);
}

impl CallWhole for piton_models::Providers {
    async fn call_whole(&self, wire: WireFormat) {
        ask(self, &question(wire), How::Whole).await.1.unwrap();
    }
}
