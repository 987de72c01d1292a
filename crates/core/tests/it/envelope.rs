//! The envelope: its JSON, its defaults and its limits.

use piton_core::bounds::{DETAILS_BYTES_MAX, ENVELOPE_TEXT_BYTES_MAX};
use piton_core::canonical::encode;
use piton_core::{Code, Details, DetailsError, Envelope, MeasuredSize, Retry};
use serde_json::{Value, json};

// shows: WR-486
#[test]
fn retry_is_a_union_of_three_kinds() {
    for (retry, value) in [
        (Retry::NotRetryable, json!({"kind": "not_retryable"})),
        (Retry::RetryableImmediate, json!({"kind": "retryable_immediate"})),
        (
            Retry::RetryableAfterMs { after_ms: 1000 },
            json!({"kind": "retryable_after_ms", "afterMs": 1000}),
        ),
    ] {
        assert_eq!(serde_json::to_value(retry).unwrap(), value);
        assert_eq!(serde_json::from_value::<Retry>(value).unwrap(), retry);
    }
    for wrong in [
        json!({"kind": "later"}),
        json!({"kind": "retryable_after_ms"}),
        json!({"kind": "retryable_after_ms", "after_ms": 1}),
        json!({"kind": "retryable_after_ms", "afterMs": -1}),
        json!({"kind": "retryable_after_ms", "afterMs": 1, "jitter": 2}),
        json!({"afterMs": 1}),
        json!("not_retryable"),
    ] {
        assert!(serde_json::from_value::<Retry>(wrong.clone()).is_err(), "{wrong}");
    }
}

// shows: WR-489, WR-491
#[test]
fn an_envelope_takes_suggestion_and_retry_from_its_code() {
    for code in Code::ALL {
        let envelope = Envelope::new(*code, "what happened");
        assert_eq!(envelope.suggestion, code.advice());
        assert_eq!(envelope.retry, code.retry());
        assert_eq!(envelope.to_string(), format!("{code}: what happened"));
    }
    let better = Envelope::new(Code::StoreIo, "m")
        .with_suggestion("do this")
        .with_retry(Retry::NotRetryable);
    assert_eq!((better.suggestion.as_str(), better.retry), ("do this", Retry::NotRetryable));
}

// shows: WR-486, WR-489, WR-491
#[test]
fn the_json_of_an_envelope_is_fixed() {
    let details = Details::of(&json!({"session": "sess_1", "waitedMs": 20})).unwrap();
    let envelope = Envelope::new(Code::SessionLocked, "The session is busy.").with_details(details);
    insta::assert_snapshot!(serde_json::to_string_pretty(&envelope).unwrap());

    let encoded = encode(&envelope).unwrap();
    let read: Envelope = serde_json::from_slice(encoded.as_bytes()).unwrap();
    assert_eq!(read, envelope);
    let bare = serde_json::to_value(Envelope::new(Code::StoreIo, "m")).unwrap();
    assert_eq!(bare.get("details"), None);
}

// shows: WR-491
#[test]
fn an_envelope_without_a_suggestion_does_not_parse() {
    let whole = serde_json::to_value(Envelope::new(Code::StoreIo, "m")).unwrap();
    assert!(serde_json::from_value::<Envelope>(whole.clone()).is_ok());
    for field in ["code", "message", "suggestion", "retry"] {
        let mut part = whole.clone();
        part.as_object_mut().unwrap().remove(field);
        assert!(serde_json::from_value::<Envelope>(part).is_err(), "{field}");
    }
}

// shows: WR-492
#[test]
fn details_are_an_object_of_bounded_size() {
    // `{"a":"…"}` has eight bytes around the text.
    let fits = json!({"a": "x".repeat(DETAILS_BYTES_MAX - 8)});
    let over = json!({"a": "x".repeat(DETAILS_BYTES_MAX - 7)});
    let details = Details::of(&fits).unwrap();
    assert_eq!(encode(&details).unwrap().len(), DETAILS_BYTES_MAX);
    assert_eq!(details.as_object(), fits.as_object().unwrap());
    let too_large = DetailsError::TooLarge { measured_bytes: DETAILS_BYTES_MAX + 1 };
    assert_eq!(Details::of(&over), Err(too_large));
    assert!(serde_json::from_value::<Details>(over).is_err());
    assert_eq!(Details::of(&[1]), Err(DetailsError::NotAnObject));
    assert!(matches!(Details::of(&json!({"a": u64::MAX})), Err(DetailsError::NotCanonical(_))));
}

// shows: WR-492
#[test]
fn messages_and_suggestions_are_bounded() {
    let long = "é".repeat(ENVELOPE_TEXT_BYTES_MAX);
    let envelope = Envelope::new(Code::StoreIo, &long).with_suggestion(&long);
    for text in [envelope.message, envelope.suggestion] {
        assert!(text.len() <= ENVELOPE_TEXT_BYTES_MAX);
        assert!(text.ends_with("[TRUNCATED]"));
    }
}

// shows: WR-493
#[test]
fn a_budget_error_says_how_large_how_measured_and_how_to_reduce() {
    let envelope = Envelope::over_budget(
        "The context",
        300_000,
        262_144,
        MeasuredSize::CanonicalJsonBytes,
        "Send references to files instead of their content.",
    );
    assert_eq!(envelope.code, Code::ValidationError);
    assert_eq!(envelope.retry, Retry::NotRetryable);
    assert_eq!(
        Value::Object(envelope.details.clone().unwrap().as_object().clone()),
        json!({
            "measuredBytes": 300_000,
            "maxBytes": 262_144,
            "method": "canonical_json_bytes",
        })
    );
    insta::assert_snapshot!(format!("{}\n{}", envelope.message, envelope.suggestion));
}

#[test]
fn a_name_takes_the_place_of_whole_words_only() {
    let check = |advice: &str, expected: &str| {
        let envelope = Envelope::new(Code::FlowNodeFailed, "no").with_suggestion(advice);
        assert_eq!(envelope.with_name("NODE", "fetch").suggestion, expected);
    };
    check("`--from NODE`, NODE.PART, NODE", "`--from fetch`, fetch.PART, fetch");
    check(
        "NODE_ENV, MY_NODE, NODES, 1NODE, naïveNODE",
        "NODE_ENV, MY_NODE, NODES, 1NODE, naïveNODE",
    );
    check("NODENODE NODE NODE", "NODENODE fetch fetch");
}
