//! Repeating what is safe to repeat.

use std::sync::Arc;
use std::time::Duration;

use piton_core::port::fixed::ManualClock;
use piton_core::{Clock as _, TimestampMs};
use piton_models::testing::{ModelServer, ScriptedReply, ServerFault};
use piton_models::{Backoff, Error, Retrying, WireFormat};

use crate::site::{HOW, How, ask, client, name, question};

fn rate_limited(retry_after_ms: Option<u64>) -> Error {
    Error::RateLimited { provider: name(WireFormat::OpenAi), words: String::new(), retry_after_ms }
}

// shows in part: CT-072 (the part about backoff)
#[test]
fn waits_double_up_to_a_limit_and_honour_what_the_provider_asks() {
    let backoff = Backoff { attempts: 6, first_ms: 100, max_ms: 1000 };
    let wait = |made, after| backoff.wait(made, &rate_limited(after)).map(|wait| wait.as_millis());
    let own: Vec<_> = (1..=6).map(|made| wait(made, None)).collect();
    assert_eq!(own, [Some(100), Some(200), Some(400), Some(800), Some(1000), None]);
    assert_eq!(wait(1, Some(700)), Some(700));
    assert_eq!(wait(4, Some(700)), Some(800), "never sooner than our own wait");
    assert_eq!(wait(1, Some(1001)), None, "a longer wait is the caller's choice");
}

// shows in part: CT-072 (the part about only where safe)
#[test]
fn only_what_was_not_worked_on_is_repeated() {
    let provider = name(WireFormat::OpenAi);
    let words = String::new;
    let safe = [
        rate_limited(None),
        Error::Unreachable { provider: provider.clone(), words: words() },
        Error::Unavailable { provider: provider.clone(), words: words(), retry_after_ms: None },
    ];
    let unsafe_ones = [
        Error::NotConfigured { what: words() },
        Error::Request { problem: words() },
        Error::Auth { provider: provider.clone(), words: words() },
        Error::ModelNotFound { provider: provider.clone(), model: words(), words: words() },
        Error::Timeout { provider: provider.clone(), waited_ms: 1 },
        Error::BadAnswer { provider: provider.clone(), problem: words() },
        Error::AnswerTooLong { provider: provider.clone() },
        Error::Cut { provider: provider.clone() },
        Error::Refused { provider, status: 400, words: words() },
    ];
    let backoff = Backoff::default();
    assert!(safe.iter().all(|error| backoff.wait(1, error).is_some()));
    assert!(unsafe_ones.iter().all(|error| backoff.wait(1, error).is_none()));
}

// shows: CT-072
#[tokio::test]
async fn a_busy_provider_is_asked_again_after_the_wait_it_names() {
    for how in HOW {
        let server = ModelServer::start().await;
        let clock = Arc::new(ManualClock::new(TimestampMs(0)));
        let inner = Arc::new(client(&server));
        let client = Retrying::new(inner, Backoff::default(), clock.clone());
        server
            .push_reply(ScriptedReply::Fault(ServerFault::Status(
                429,
                "slow down".to_owned(),
                Some(2),
            )))
            .push_reply(ScriptedReply::status(503, "overloaded"))
            .push_reply(ScriptedReply::text("at last"));
        let answer = ask(&client, &question(WireFormat::OpenAi), how).await.1.unwrap();
        assert_eq!(answer.text, "at last", "{how:?}");
        assert_eq!(server.seen().len(), 3);
        assert_eq!(clock.monotonic(), Duration::from_secs(3), "2 s as asked, then 1 s of its own");
    }
}

#[tokio::test]
async fn attempts_end_and_the_last_error_is_told() {
    let server = ModelServer::start().await;
    let clock = Arc::new(ManualClock::new(TimestampMs(0)));
    let client = Retrying::new(Arc::new(client(&server)), Backoff::default(), clock);
    let error = ask(&client, &question(WireFormat::Ollama), How::Whole).await.1.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }));
    assert_eq!(server.seen().len(), 3);
}

// shows in part: CT-072 (the part about only where safe, for streams)
#[tokio::test]
async fn a_stream_that_has_begun_is_not_begun_again() {
    let server = ModelServer::start().await;
    let clock = Arc::new(ManualClock::new(TimestampMs(0)));
    let client = Retrying::new(Arc::new(client(&server)), Backoff::default(), clock);
    server
        .push_reply(ScriptedReply::Fault(ServerFault::ToldInStream("overloaded_error".to_owned())));
    let (texts, answer) = ask(&client, &question(WireFormat::Anthropic), How::Pieces).await;
    assert!(!texts.is_empty());
    assert!(answer.unwrap_err().is_safe_to_repeat(), "the error alone would allow it");
    assert_eq!(server.seen().len(), 1);
}
