//! What goes wrong, in every wire format, whole and in pieces.

use std::sync::Arc;

use piton_core::{Code, Retry};
use piton_models::bounds::PROVIDER_WORDS_BYTES_MAX;
use piton_models::testing::{ModelServer, ScriptedReply, ServerFault};
use piton_models::{Error, ProviderSettings, Providers, WireFormat};
use serde_json::json;

use crate::site::{HOW, How, KEY, OneKey, ask, client, name, question, settings};

/// Asks in every way, each time after telling the server `reply`, and checks the error.
async fn every_way(reply: ScriptedReply, check: impl Fn(WireFormat, How, &[String], Error)) {
    let server = ModelServer::start().await;
    let client = client(&server);
    for wire in WireFormat::ALL {
        for how in HOW {
            server.push_reply(reply.clone());
            let (texts, answer) = ask(&client, &question(*wire), how).await;
            check(*wire, how, &texts, answer.unwrap_err());
        }
    }
}

// shows: CT-072
#[tokio::test]
async fn each_status_has_its_code_also_as_the_first_item_of_a_stream() {
    let table = [
        (401, Code::ModelAuthFailed),
        (403, Code::ModelAuthFailed),
        (404, Code::ModelNotFound),
        (408, Code::ModelTimeout),
        (429, Code::ModelRateLimited),
        (400, Code::ModelRefused),
        (413, Code::ModelRefused),
        (501, Code::ModelRefused),
        (505, Code::ModelRefused),
        (500, Code::ModelUnavailable),
        (503, Code::ModelUnavailable),
        (529, Code::ModelUnavailable),
    ];
    for (status, code) in table {
        every_way(
            ScriptedReply::status(status, "said by the provider"),
            |wire, how, texts, error| {
                assert_eq!(error.code(), code, "{status} {wire} {how:?}: {error:?}");
                assert!(texts.is_empty());
                if code != Code::ModelTimeout {
                    assert!(error.to_string().contains("said by the provider"), "{error}");
                }
            },
        )
        .await;
    }
}

// shows in part: CT-072 (the part about retry-after)
#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    let reply = ScriptedReply::Fault(ServerFault::Status(429, "slow down".to_owned(), Some(7)));
    every_way(reply, |wire, how, _, error| {
        assert_eq!(error.retry_after_ms(), Some(7000), "{wire} {how:?}");
        let envelope = error.envelope();
        assert_eq!(envelope.retry, Retry::RetryableAfterMs { after_ms: 7000 });
        assert_eq!(envelope.code, Code::ModelRateLimited);
    })
    .await;
}

// shows in part: CT-072 (the part about only where safe, for failures that waiting does not end)
#[tokio::test]
async fn a_quota_that_is_used_up_is_refused_and_not_a_rate_limit() {
    let words = "You exceeded your current quota";
    let quota = "insufficient_quota";
    let bodies = [
        json!({ "error": { "message": words, "type": quota, "param": null, "code": quota } }),
        json!({ "error": { "message": words, "type": null, "code": quota } }),
        json!({ "message": words, "code": quota }),
    ];
    for body in bodies {
        let reply = ScriptedReply::Fault(ServerFault::StatusBody(429, body));
        every_way(reply, |wire, how, _, error| {
            assert_eq!(error.code(), Code::ModelRefused, "{wire} {how:?}: {error:?}");
            assert!(!error.is_safe_to_repeat());
            let envelope = error.envelope();
            assert!(envelope.message.contains(words), "{}", envelope.message);
            assert!(envelope.suggestion.contains("quota"), "{}", envelope.suggestion);
        })
        .await;
    }
    let busy =
        json!({ "error": { "message": words, "type": "tokens", "code": "rate_limit_exceeded" } });
    let reply = ScriptedReply::Fault(ServerFault::StatusBody(429, busy));
    every_way(reply, |_, _, _, error| assert_eq!(error.code(), Code::ModelRateLimited)).await;
}

// shows: CT-072
// shows in part: CT-070 (the part about errors on a later stream item)
#[tokio::test]
async fn a_connection_that_ends_early_is_never_a_short_answer() {
    every_way(ScriptedReply::Fault(ServerFault::Cut), |wire, how, texts, error| {
        assert_eq!(error, Error::Cut { provider: name(wire) }, "{wire} {how:?}");
        assert_eq!(error.code(), Code::ModelUnreachable);
        assert!(!error.is_safe_to_repeat(), "the model has begun to answer");
        if how == How::Pieces {
            assert!(!texts.is_empty(), "{wire} gave pieces before it was cut");
        }
    })
    .await;
}

// shows in part: CT-070 (the part about errors on a later stream item)
#[tokio::test]
async fn a_failure_that_is_told_in_the_stream_is_an_error_after_its_pieces() {
    let told = |kind: &str| ScriptedReply::Fault(ServerFault::ToldInStream(kind.to_owned()));
    let table = [
        ("overloaded_error", Code::ModelUnavailable),
        ("rate_limit_error", Code::ModelRateLimited),
        ("authentication_error", Code::ModelAuthFailed),
        ("not_found_error", Code::ModelNotFound),
        ("invalid_request_error", Code::ModelRefused),
    ];
    for (kind, code) in table {
        every_way(told(kind), |wire, how, texts, error| match (wire, how) {
            (_, How::Whole) => assert_eq!(error.code(), Code::ModelUnavailable),
            (_, How::Pieces) => {
                // One format has no types of failures.
                let code = if wire == WireFormat::Ollama { Code::ModelUnavailable } else { code };
                assert_eq!(error.code(), code, "{wire}: {error:?}");
                assert!(!texts.is_empty());
                assert!(error.to_string().contains("told in the stream"), "{error}");
            }
        })
        .await;
    }
}

// shows: CT-072
#[tokio::test]
async fn what_is_not_json_or_no_answer_is_a_bad_answer() {
    for fault in [ServerFault::BadJson, ServerFault::NoAnswer] {
        let whole = matches!(fault, ServerFault::NoAnswer);
        every_way(ScriptedReply::Fault(fault), |wire, how, _, error| {
            if whole && how == How::Pieces {
                return assert_eq!(error, Error::Cut { provider: name(wire) });
            }
            assert_eq!(error.code(), Code::ModelBadAnswer, "{wire} {how:?}: {error:?}");
        })
        .await;
    }
}

// shows: CT-072
#[tokio::test]
async fn a_provider_that_does_not_answer_in_time_is_a_timeout() {
    let server = ModelServer::start().await;
    let impatient = |wire| ProviderSettings { timeout_ms: 60, ..settings(&server, wire) };
    let all = WireFormat::ALL.iter().map(|wire| impatient(*wire)).collect();
    let client = Providers::new(all, None, Arc::new(OneKey(KEY))).unwrap();
    for wire in WireFormat::ALL {
        for how in HOW {
            for fault in [ServerFault::Hang, ServerFault::Stall, ServerFault::Drip] {
                server.push_reply(ScriptedReply::Fault(fault));
                let error = ask(&client, &question(*wire), how).await.1.unwrap_err();
                let expected = Error::Timeout { provider: name(*wire), waited_ms: 60 };
                assert_eq!(error, expected, "{wire} {how:?}");
            }
        }
    }
}

// shows: CT-072
#[tokio::test]
async fn a_provider_that_is_not_there_is_unreachable() {
    let server = ModelServer::start().await;
    let client = client(&server);
    drop(server);
    for wire in WireFormat::ALL {
        for how in HOW {
            let error = ask(&client, &question(*wire), how).await.1.unwrap_err();
            assert!(matches!(error, Error::Unreachable { .. }), "{wire} {how:?}: {error:?}");
            assert!(error.is_safe_to_repeat());
        }
    }
}

// shows: CT-072
#[tokio::test]
async fn a_model_that_the_provider_does_not_have_is_named() {
    let server = ModelServer::start().await;
    server.with_models(&["other"]);
    let client = client(&server);
    for wire in WireFormat::ALL {
        for how in HOW {
            let error = ask(&client, &question(*wire), how).await.1.unwrap_err();
            assert_eq!(error.code(), Code::ModelNotFound);
            assert!(error.to_string().contains("`small`"), "{error}");
        }
    }
}

// shows: CT-072
#[tokio::test]
async fn an_answer_without_end_is_refused_whoever_sends_it() {
    for fault in [ServerFault::Endless, ServerFault::EndlessCall] {
        every_way(ScriptedReply::Fault(fault.clone()), |wire, how, _, error| {
            let expected = Error::AnswerTooLong { provider: name(wire) };
            assert_eq!(error, expected, "{fault:?} {wire} {how:?}");
        })
        .await;
    }
}

// shows: CT-072
#[tokio::test]
async fn a_status_is_the_verdict_also_if_its_words_have_no_end() {
    for (status, code) in
        [(401, Code::ModelAuthFailed), (429, Code::ModelRateLimited), (500, Code::ModelUnavailable)]
    {
        every_way(
            ScriptedReply::Fault(ServerFault::EndlessStatus(status)),
            |wire, how, _, error| {
                assert_eq!(error.code(), code, "{status} {wire} {how:?}: {error:?}");
                assert!(error.to_string().len() < 2 * PROVIDER_WORDS_BYTES_MAX, "{error}");
            },
        )
        .await;
    }
}
