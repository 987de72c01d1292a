//! Answers that are not complete, as providers really send them: each is an error, never a short or empty answer.

use piton_core::Code;
use piton_models::testing::{ModelServer, ScriptedReply};
use piton_models::{Error, WireFormat};
use serde_json::{Value, json};

use crate::site::{HOW, How, ask, client, question};

/// A whole answer of OpenAI with this message and reason, and the same in two pieces.
fn openai(message: &Value, reason: impl Into<Value>) -> ScriptedReply {
    let reason = reason.into();
    let choice = |name: &str, value: &Value, reason: Value| json!({ "choices": [{ "index": 0, name: value, "finish_reason": reason }] });
    let mut whole = choice("message", message, reason.clone());
    whole["usage"] = json!({ "prompt_tokens": 11, "completion_tokens": 7 });
    let usage = json!({ "choices": [], "usage": whole["usage"] });
    let pieces = vec![
        choice("delta", message, Value::Null),
        choice("delta", &json!({}), reason),
        usage,
        json!("[DONE]"),
    ];
    ScriptedReply::Raw(whole, pieces)
}

/// The same of Anthropic, with these texts as blocks.
fn anthropic(texts: &[&str], reason: impl Into<Value>) -> ScriptedReply {
    let reason = reason.into();
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
    ScriptedReply::Raw(whole, pieces)
}

/// The same of Ollama.
fn ollama(text: &str, reason: impl Into<Value>) -> ScriptedReply {
    let reason = reason.into();
    let message = json!({ "role": "assistant", "content": text });
    let done = json!({ "message": message, "done": true, "done_reason": reason, "prompt_eval_count": 11, "eval_count": 7 });
    ScriptedReply::Raw(done.clone(), vec![done])
}

/// Sends a reply whole and in pieces, and checks the result.
async fn both_ways(
    wire: WireFormat,
    reply: &ScriptedReply,
    check: impl Fn(How, Result<String, Error>),
) {
    let server = ModelServer::start().await;
    let client = client(&server);
    for how in HOW {
        server.push_reply(reply.clone());
        let (_, answer) = ask(&client, &question(wire), how).await;
        check(how, answer.map(|answer| answer.text));
    }
}

// shows: CT-070, CT-072
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
async fn what_is_no_complete_answer_is_an_error_that_says_why() {
    let refusal = json!({ "role": "assistant", "content": null, "refusal": "I cannot help" });
    let refusal_part = json!({ "content": [{ "type": "refusal", "refusal": "I cannot help" }] });
    let error = json!({ "error": { "message": "out of credit", "type": "insufficient_quota" } });
    let plain_error = json!({ "error": "out of memory" });
    let table: [(WireFormat, ScriptedReply, Code, &str); 20] = [
        (WireFormat::OpenAi, openai(&refusal, "stop"), Code::ModelDeclined, "I cannot help"),
        (WireFormat::OpenAi, openai(&refusal_part, "stop"), Code::ModelDeclined, "I cannot help"),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": "half" }), "content_filter"),
            Code::ModelDeclined,
            "half",
        ),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": null }), "content_filter"),
            Code::ModelDeclined,
            "no reason",
        ),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": "" }), "length"),
            Code::ModelAnswerTruncated,
            "after 7 tokens",
        ),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": "half of" }), "length"),
            Code::ModelAnswerTruncated,
            "limit of tokens",
        ),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": null }), "stop"),
            Code::ModelBadAnswer,
            "empty",
        ),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": " \n" }), "stop"),
            Code::ModelBadAnswer,
            "empty",
        ),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": [] }), "stop"),
            Code::ModelBadAnswer,
            "empty",
        ),
        (
            WireFormat::OpenAi,
            openai(&json!({ "content": [{ "type": "image_url" }] }), "stop"),
            Code::ModelBadAnswer,
            "empty",
        ),
        (
            WireFormat::OpenAi,
            ScriptedReply::Raw(error.clone(), vec![error.clone()]),
            Code::ModelRefused,
            "out of credit",
        ),
        (WireFormat::Anthropic, anthropic(&["half"], "refusal"), Code::ModelDeclined, "half"),
        (WireFormat::Anthropic, anthropic(&[], "refusal"), Code::ModelDeclined, "no reason"),
        (
            WireFormat::Anthropic,
            anthropic(&["half"], "max_tokens"),
            Code::ModelAnswerTruncated,
            "after 7 tokens",
        ),
        (WireFormat::Anthropic, anthropic(&[], "end_turn"), Code::ModelBadAnswer, "empty"),
        (
            WireFormat::Anthropic,
            ScriptedReply::Raw(
                json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } }),
                vec![
                    json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } }),
                ],
            ),
            Code::ModelUnavailable,
            "busy",
        ),
        (
            WireFormat::Ollama,
            ollama("half", "length"),
            Code::ModelAnswerTruncated,
            "after 7 tokens",
        ),
        (WireFormat::Ollama, ollama("", "stop"), Code::ModelBadAnswer, "empty"),
        (WireFormat::Ollama, ollama("", "load"), Code::ModelBadAnswer, "`load`"),
        (
            WireFormat::Ollama,
            ScriptedReply::Raw(plain_error.clone(), vec![plain_error]),
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
    both_ways(WireFormat::OpenAi, &openai(&parts, "stop"), |_, answer| {
        assert_eq!(answer.unwrap(), "forty-two");
    })
    .await;
    both_ways(WireFormat::Anthropic, &anthropic(&["forty", "-two"], "end_turn"), |_, answer| {
        assert_eq!(answer.unwrap(), "forty-two");
    })
    .await;
}

/// What becomes of an answer in words that ends for a reason.
enum Fate {
    Complete,
    Is(Code, &'static str),
}

// shows: CT-072
#[tokio::test]
async fn only_a_reason_that_is_known_to_mean_so_makes_an_answer_complete() {
    use Fate::{Complete, Is};
    let truncated = || Is(Code::ModelAnswerTruncated, "limit of tokens");
    let declined = || Is(Code::ModelDeclined, "let me");
    let bad = |words| Is(Code::ModelBadAnswer, words);
    let openai = |reason: Value| openai(&json!({ "content": "let me" }), reason);
    let anthropic = |reason: Value| anthropic(&["let me"], reason);
    let ollama = |reason: Value| ollama("let me", reason);
    let table: Vec<(WireFormat, ScriptedReply, Fate)> = vec![
        (WireFormat::OpenAi, openai(json!("stop")), Complete),
        (WireFormat::OpenAi, openai(json!("eos")), Complete),
        (WireFormat::OpenAi, openai(json!("end_turn")), Complete),
        (WireFormat::OpenAi, openai(json!("length")), truncated()),
        (WireFormat::OpenAi, openai(json!("max_tokens")), truncated()),
        (WireFormat::OpenAi, openai(json!("model_length")), truncated()),
        (WireFormat::OpenAi, openai(json!("content_filter")), declined()),
        (WireFormat::OpenAi, openai(json!("error")), bad("`error`")),
        (WireFormat::OpenAi, openai(json!("abort")), bad("`abort`")),
        (WireFormat::OpenAi, openai(json!("tool_calls")), bad("calls none")),
        (WireFormat::OpenAi, openai(json!("")), bad("does not say why it ends")),
        (WireFormat::OpenAi, openai(Value::Null), bad("does not say why it ends")),
        (WireFormat::Anthropic, anthropic(json!("end_turn")), Complete),
        (WireFormat::Anthropic, anthropic(json!("stop_sequence")), Complete),
        (WireFormat::Anthropic, anthropic(json!("max_tokens")), truncated()),
        (WireFormat::Anthropic, anthropic(json!("model_context_window_exceeded")), truncated()),
        (WireFormat::Anthropic, anthropic(json!("refusal")), declined()),
        (
            WireFormat::Anthropic,
            anthropic(json!("pause_turn")),
            bad("paused the turn (`pause_turn`)"),
        ),
        (WireFormat::Anthropic, anthropic(json!("tool_use")), bad("calls none")),
        (WireFormat::Anthropic, anthropic(json!("error")), bad("`error`")),
        (WireFormat::Anthropic, anthropic(Value::Null), bad("does not say why it ends")),
        (WireFormat::Ollama, ollama(json!("stop")), Complete),
        // Versions before 0.1.38 sent none.
        (WireFormat::Ollama, ollama(Value::Null), Complete),
        (WireFormat::Ollama, ollama(json!("length")), truncated()),
        (WireFormat::Ollama, ollama(json!("unload")), bad("`unload`")),
    ];
    for (wire, reply, fate) in table {
        both_ways(wire, &reply, |how, answer| match (&fate, answer) {
            (Complete, Ok(text)) => assert_eq!(text, "let me", "{wire} {how:?} {reply:?}"),
            (Is(code, words), Err(error)) => {
                assert_eq!(error.code(), *code, "{wire} {how:?} {reply:?}: {error}");
                assert!(error.to_string().contains(words), "{wire} {how:?} {reply:?}: {error}");
                let output_tokens = error.usage().and_then(|usage| usage.output_tokens);
                assert_eq!(output_tokens, Some(7), "what it cost is told: {error:?}");
            }
            (_, answer) => panic!("{wire} {how:?} {reply:?}: {answer:?}"),
        })
        .await;
    }
}

// shows: CT-072
#[tokio::test]
async fn an_answer_whose_reason_is_left_out_is_not_taken_for_complete() {
    let openai = json!({ "choices": [{ "message": { "content": "half" } }] });
    let piece = json!({ "choices": [{ "delta": { "content": "half" } }] });
    let anthropic = json!({ "type": "message", "content": [{ "type": "text", "text": "half" }] });
    let pieces = vec![
        json!({ "type": "content_block_delta", "delta": { "type": "text_delta", "text": "half" } }),
        json!({ "type": "message_delta", "delta": {} }),
        json!({ "type": "message_stop" }),
    ];
    let table = [
        (WireFormat::OpenAi, ScriptedReply::Raw(openai, vec![piece, json!("[DONE]")])),
        (WireFormat::Anthropic, ScriptedReply::Raw(anthropic, pieces)),
    ];
    for (wire, reply) in table {
        both_ways(wire, &reply, |how, answer| {
            let error = answer.expect_err("it is not complete");
            assert_eq!(error.code(), Code::ModelBadAnswer, "{wire} {how:?}: {error}");
        })
        .await;
    }
    // Ollama says by `done` whether an answer is complete; a stream without it was cut.
    let half = json!({ "message": { "content": "half" }, "done": false });
    let none = json!({ "message": { "content": "half" } });
    for body in [half, none] {
        both_ways(
            WireFormat::Ollama,
            &ScriptedReply::Raw(body.clone(), vec![body]),
            |how, answer| {
                let error = answer.expect_err("it is not complete");
                let code =
                    if how == How::Whole { Code::ModelBadAnswer } else { Code::ModelUnreachable };
                assert_eq!(error.code(), code, "{how:?}: {error}");
            },
        )
        .await;
    }
}

#[tokio::test]
async fn a_call_of_a_tool_that_was_not_offered_is_no_answer() {
    let server = ModelServer::start().await;
    let client = client(&server);
    for wire in WireFormat::ALL {
        for how in HOW {
            server.push_reply(ScriptedReply::call("search", json!({})));
            let (_, answer) = ask(&client, &question(*wire), how).await;
            let error = answer.expect_err("it waits for a tool");
            assert_eq!(error.code(), Code::ModelBadAnswer, "{wire} {how:?}: {error}");
            assert!(error.to_string().contains("calls the tool `search`"), "{error}");
        }
    }
}

#[tokio::test]
async fn pieces_before_the_last_need_no_reason() {
    for none in [json!({}), json!({ "finish_reason": null }), json!({ "finish_reason": "" })] {
        let piece = |delta: Value, reason: &Value| {
            let mut choice = json!({ "index": 0, "delta": delta });
            choice.as_object_mut().unwrap().extend(reason.as_object().unwrap().clone());
            json!({ "choices": [choice] })
        };
        let pieces = vec![
            piece(json!({ "content": "forty" }), &none),
            piece(json!({ "content": "-two" }), &json!({ "finish_reason": "stop" })),
            piece(json!({}), &none),
        ];
        let whole = json!({ "choices": [{ "message": { "content": "forty-two" }, "finish_reason": "stop" }] });
        both_ways(WireFormat::OpenAi, &ScriptedReply::Raw(whole, pieces), |how, answer| {
            assert_eq!(answer.unwrap(), "forty-two", "{how:?} {none}");
        })
        .await;
    }
}
