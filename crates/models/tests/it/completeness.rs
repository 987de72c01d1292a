//! Answers that are not complete, as providers really send them: each is an error, never a short or empty answer.

use piton_core::Code;
use piton_models::testing::{ModelServer, Reply};
use piton_models::{Error, Wire};
use serde_json::{Value, json};

use crate::site::{HOW, How, ask, client, question};

/// A whole answer of OpenAI with this message and reason, and the same in two pieces.
fn openai(message: &Value, reason: &str) -> Reply {
    let choice = |name: &str, value: &Value, reason: Value| json!({ "choices": [{ "index": 0, name: value, "finish_reason": reason }] });
    let mut whole = choice("message", message, json!(reason));
    whole["usage"] = json!({ "prompt_tokens": 11, "completion_tokens": 7 });
    let usage = json!({ "choices": [], "usage": whole["usage"] });
    let pieces = vec![
        choice("delta", message, Value::Null),
        choice("delta", &json!({}), json!(reason)),
        usage,
    ];
    Reply::Raw(whole, pieces)
}

/// The same of Anthropic, with these texts as blocks.
fn anthropic(texts: &[&str], reason: &str) -> Reply {
    let blocks: Vec<Value> =
        texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
    let usage = json!({ "input_tokens": 11, "output_tokens": 7 });
    let whole =
        json!({ "type": "message", "content": blocks, "stop_reason": reason, "usage": usage });
    let mut pieces = vec![json!({ "type": "message_start", "message": { "usage": {} } })];
    pieces.extend(texts.iter().map(|text| json!({ "type": "content_block_delta", "delta": { "type": "text_delta", "text": text } })));
    pieces.push(
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": usage }),
    );
    pieces.push(json!({ "type": "message_stop" }));
    Reply::Raw(whole, pieces)
}

/// The same of Ollama.
fn ollama(text: &str, reason: &str) -> Reply {
    let message = json!({ "role": "assistant", "content": text });
    let done = json!({ "message": message, "done": true, "done_reason": reason, "prompt_eval_count": 11, "eval_count": 7 });
    Reply::Raw(done.clone(), vec![done])
}

/// Sends a reply whole and in pieces, and hands over what came of it.
async fn both_ways(wire: Wire, reply: &Reply, check: impl Fn(How, Result<String, Error>)) {
    let server = ModelServer::start().await;
    let client = client(&server);
    for how in HOW {
        server.then(reply.clone());
        let (_, answer) = ask(&client, &question(wire), how).await;
        check(how, answer.map(|answer| answer.text));
    }
}

// shows: CT-070, CT-072
#[tokio::test]
async fn what_is_no_complete_answer_is_an_error_that_says_why() {
    let refusal = json!({ "role": "assistant", "content": null, "refusal": "I cannot help" });
    let refusal_part = json!({ "content": [{ "type": "refusal", "refusal": "I cannot help" }] });
    let error = json!({ "error": { "message": "out of credit", "type": "insufficient_quota" } });
    let plain_error = json!({ "error": "out of memory" });
    let table: [(Wire, Reply, Code, &str); 20] = [
        (Wire::OpenAi, openai(&refusal, "stop"), Code::ModelDeclined, "I cannot help"),
        (Wire::OpenAi, openai(&refusal_part, "stop"), Code::ModelDeclined, "I cannot help"),
        (
            Wire::OpenAi,
            openai(&json!({ "content": "half" }), "content_filter"),
            Code::ModelDeclined,
            "half",
        ),
        (
            Wire::OpenAi,
            openai(&json!({ "content": null }), "content_filter"),
            Code::ModelDeclined,
            "no reason",
        ),
        (
            Wire::OpenAi,
            openai(&json!({ "content": "" }), "length"),
            Code::ModelAnswerTruncated,
            "after 7 tokens",
        ),
        (
            Wire::OpenAi,
            openai(&json!({ "content": "half of" }), "length"),
            Code::ModelAnswerTruncated,
            "limit of tokens",
        ),
        (Wire::OpenAi, openai(&json!({ "content": null }), "stop"), Code::ModelBadAnswer, "empty"),
        (Wire::OpenAi, openai(&json!({ "content": " \n" }), "stop"), Code::ModelBadAnswer, "empty"),
        (Wire::OpenAi, openai(&json!({ "content": [] }), "stop"), Code::ModelBadAnswer, "empty"),
        (
            Wire::OpenAi,
            openai(&json!({ "content": [{ "type": "image_url" }] }), "stop"),
            Code::ModelBadAnswer,
            "empty",
        ),
        (
            Wire::OpenAi,
            Reply::Raw(error.clone(), vec![error.clone()]),
            Code::ModelRateLimited,
            "out of credit",
        ),
        (Wire::Anthropic, anthropic(&["half"], "refusal"), Code::ModelDeclined, "half"),
        (Wire::Anthropic, anthropic(&[], "refusal"), Code::ModelDeclined, "no reason"),
        (
            Wire::Anthropic,
            anthropic(&["half"], "max_tokens"),
            Code::ModelAnswerTruncated,
            "after 7 tokens",
        ),
        (Wire::Anthropic, anthropic(&[], "end_turn"), Code::ModelBadAnswer, "empty"),
        (
            Wire::Anthropic,
            Reply::Raw(
                json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } }),
                vec![
                    json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } }),
                ],
            ),
            Code::ModelUnavailable,
            "busy",
        ),
        (Wire::Ollama, ollama("half", "length"), Code::ModelAnswerTruncated, "after 7 tokens"),
        (Wire::Ollama, ollama("", "stop"), Code::ModelBadAnswer, "empty"),
        (Wire::Ollama, ollama("", "load"), Code::ModelBadAnswer, "empty"),
        (
            Wire::Ollama,
            Reply::Raw(plain_error.clone(), vec![plain_error]),
            Code::ModelUnavailable,
            "out of memory",
        ),
    ];
    for (wire, reply, code, words) in table {
        both_ways(wire, &reply, |how, answer| {
            let error = answer.expect_err("it is not complete");
            assert_eq!(error.code(), code, "{wire} {how:?} {reply:?}: {error}");
            assert!(error.to_string().contains(words), "{wire} {how:?} {reply:?}: {error}");
            assert!(
                !error.is_safe_to_repeat()
                    || code == Code::ModelUnavailable
                    || code == Code::ModelRateLimited
            );
        })
        .await;
    }
}

#[tokio::test]
async fn an_answer_in_parts_is_put_together() {
    let parts = json!({ "content": [{ "type": "text", "text": "forty" }, { "type": "text", "text": "-two" }] });
    both_ways(Wire::OpenAi, &openai(&parts, "stop"), |_, answer| {
        assert_eq!(answer.unwrap(), "forty-two");
    })
    .await;
    both_ways(Wire::Anthropic, &anthropic(&["forty", "-two"], "end_turn"), |_, answer| {
        assert_eq!(answer.unwrap(), "forty-two");
    })
    .await;
}
