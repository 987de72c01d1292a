//! The context of a run.

use piton_workflow::ContextSource;
use piton_workflow::event::PayloadError;
use serde_json::{Value, json};

use super::sample::{at, context, context_set, data, parse, to_json, with_data};

// shows: WR-413
#[test]
fn a_context_came_about_in_one_of_three_ways_and_is_an_object() {
    let body = context_set(&json!({}));
    for source in ContextSource::ALL {
        let mut whole = data(&body);
        whole["source"] = json!(source);
        assert!(with_data(&body, &whole).is_ok(), "{source}");
    }
    for (field, value) in [
        ("source", json!("guess")),
        ("context", json!([])),
        ("context", json!("a")),
        ("contextId", json!("ctx_1")),
    ] {
        let mut whole = data(&body);
        whole[field] = value;
        assert!(with_data(&body, &whole).is_err(), "{field}");
    }
}

// shows in part: WR-424 (the result)
#[test]
fn a_context_has_at_most_262144_bytes_of_canonical_json() {
    let sized = |bytes: usize| json!({"a": "x".repeat(bytes - r#"{"a":""}"#.len())});
    assert!(context(&sized(262_144)).is_ok());
    let error = PayloadError::ContextTooLarge { measured_bytes: 262_145 };
    assert_eq!(context(&sized(262_145)), Err(error));
    // Escapes count as they are written.
    let escaped = json!({"a": "\u{1}".repeat(262_136 / 6 + 1)});
    assert!(context(&escaped).is_err());
    let body = context_set(&json!({}));
    for (bytes, fine) in [(262_144, true), (262_145, false)] {
        let mut whole = data(&body);
        whole["context"] = sized(bytes);
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{bytes}");
    }
}

// shows in part: WR-420 (where it is stored)
#[test]
fn a_reserved_key_is_refused_at_any_depth() {
    let body = context_set(&json!({}));
    for key in ["__proto__", "constructor", "prototype"] {
        for value in
            [json!({key: 1}), json!({"a": {key: null}}), json!({"a": [1, [{"b": {key: {}}}]]})]
        {
            assert_eq!(context(&value), Err(PayloadError::ReservedKey { key }), "{value}");
            let mut whole = data(&body);
            whole["context"] = value;
            assert!(with_data(&body, &whole).is_err());
        }
        assert!(context(&json!({"a": key, "b": [key], (key.to_owned() + "s"): 1})).is_ok());
    }
}

#[test]
fn a_number_is_held_as_it_will_be_read() {
    let made = context(&json!({"a": 1.0, "b": -0.0, "c": 1.5})).unwrap();
    assert_eq!(Value::Object(made.as_object().clone()), json!({"a": 1, "b": 0, "c": 1.5}));
}

#[test]
fn a_number_that_not_every_reader_keeps_is_refused() {
    assert!(matches!(
        context(&json!({"a": 9_007_199_254_740_992_u64})),
        Err(PayloadError::NotCanonical(_))
    ));
}

#[test]
fn a_context_that_is_accepted_can_be_written_and_read_however_deep_it_is() {
    let mut value = json!({});
    let mut accepted = 0;
    for depth in 1.. {
        value = json!({"a": value});
        if context(&value).is_err() {
            break;
        }
        accepted = depth;
        let event = at(1, context_set(&value));
        assert_eq!(parse(&to_json(&event)).unwrap(), event);
    }
    assert!(accepted > 100, "{accepted}");
}
