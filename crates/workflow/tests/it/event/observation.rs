//! Observations of the surroundings.

use piton_workflow::{ChangeOrdinal, EventBody, ObservationKey};
use serde_json::json;

use super::sample::{at, digest, observed, parse, short, to_json};

// shows: WR-152
#[test]
fn an_observation_has_no_scope_unless_it_is_given_one() {
    let event = to_json(&at(1, observed(ObservationKey::GitBranch, 0, short("main"))));
    assert!(event.get("scope").is_none());
}

/// Whether an observation of `value` can be written as an event. Its key is the one of the value.
fn check(value: &serde_json::Value, fine: bool) {
    let read = serde_json::from_value(value.clone());
    assert_eq!(read.is_ok(), fine, "{value}");
    if let Ok(value) = read {
        let event = at(1, observed(ObservationKey::GitBranch, 0, value));
        assert_eq!(parse(&to_json(&event)).unwrap(), event);
    }
}

// shows: WR-154
#[test]
fn a_value_is_one_of_four_types() {
    let commit = "4f3c2a1b0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a";
    check(&json!({"type": "short_string", "value": "main"}), true);
    check(&json!({"type": "git_sha1", "value": commit}), true);
    check(&json!({"type": "git_sha1", "value": commit.to_uppercase()}), false);
    check(&json!({"type": "git_sha1", "value": &commit[1..]}), false);
    check(&json!({"type": "sha256", "value": digest(1)}), true);
    check(&json!({"type": "sha256", "value": digest(1).hex()}), false);
    check(&json!({"type": "path", "value": "/home/ana"}), true);
    check(&json!({"type": "number", "value": 1}), false);
    check(&json!({"type": "path", "value": 1}), false);
    check(&json!({"type": "path"}), false);
    check(&json!({"value": "main"}), false);
    check(&json!({"type": "path", "value": "/", "more": 1}), false);
}

// shows: WR-156, WR-157
#[test]
fn a_value_over_its_budget_of_bytes_is_refused() {
    for (kind, max) in [("short_string", 80), ("path", 512)] {
        check(&json!({"type": kind, "value": "x".repeat(max)}), true);
        check(&json!({"type": kind, "value": "x".repeat(max + 1)}), false);
        check(&json!({"type": kind, "value": "ü".repeat(max / 2)}), true);
        check(&json!({"type": kind, "value": "ü".repeat(max / 2) + "x"}), false);
    }
}

#[test]
fn a_stored_observation_over_its_budget_is_refused_for_that_reason() {
    let mut event = to_json(&at(1, observed(ObservationKey::GitBranch, 0, short("main"))));
    event["data"]["value"]["value"] = json!("x".repeat(81));
    assert!(parse(&event).unwrap_err().to_string().contains("81 UTF-8 bytes, 80 are allowed"));
}

#[test]
fn the_change_is_read_back_from_the_dedupe_key() {
    let event = at(1, observed(ObservationKey::GitBranch, 12, short("main")));
    let read = parse(&to_json(&event)).unwrap();
    let EventBody::ObservationRecorded { change, .. } = read.body() else {
        panic!("an observation is one");
    };
    assert_eq!(*change, ChangeOrdinal(12));
}
