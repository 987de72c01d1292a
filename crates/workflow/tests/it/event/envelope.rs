//! The envelope: version, scope, dedupe key, time.

use piton_core::{EventId, EventIndex, NodeId, SessionId, TimestampMs};
use piton_workflow::{EventBody, EventKind, SessionEvent};
use serde_json::{Value, json};

use super::sample::{AT_ROOT, NEXT, ROOT, RUN, at, bodies, data, parse, to_json, with_data};

#[test]
fn another_version_is_refused() {
    for body in bodies() {
        let mut event = to_json(&at(3, body));
        for version in [json!(0), json!(2), json!("1"), json!(1.5)] {
            event["v"] = version;
            assert!(parse(&event).is_err());
        }
    }
}

// shows in part: WR-105 (an unknown kind)
#[test]
fn an_unknown_kind_is_refused() {
    let mut event = to_json(&at(0, bodies().remove(0)));
    event["kind"] = json!("session_closed");
    assert!(parse(&event).unwrap_err().to_string().contains("`session_closed` is not one of"));
}

// shows: WR-109, WR-112, WR-117, WR-186, WR-192
// shows: WR-412 (with a_start_pins_its_workflow_records_what_it_was_told_and_asks_for_the_first_step)
// shows in part: WR-168, WR-177 (the scope)
#[test]
fn every_kind_has_the_scope_that_it_has_and_no_other() {
    let scopes = [
        ("none", Value::Null),
        ("empty", json!({})),
        ("run", json!({"runId": RUN})),
        ("node", json!({"nodeId": ROOT})),
        ("both", json!({"runId": RUN, "nodeId": ROOT})),
    ];
    for body in bodies() {
        let allowed: &[&str] = match body.kind() {
            EventKind::SessionCreated => &["none"],
            EventKind::ObservationRecorded => &["none", "both"],
            EventKind::RunStarted | EventKind::EdgeCreated | EventKind::ContextSet => &["run"],
            _ => &["both"],
        };
        let body = match body {
            // The node is part of the key of its creation, so it is the one that the table names.
            EventBody::NodeCreated(_, node) => EventBody::NodeCreated(AT_ROOT, node),
            body => body,
        };
        let whole = to_json(&at(3, body));
        for (name, scope) in &scopes {
            let mut other = whole.clone();
            if scope.is_null() {
                other.as_object_mut().unwrap().remove("scope");
            } else {
                other["scope"] = scope.clone();
            }
            let read = parse(&other);
            assert_eq!(read.is_ok(), allowed.contains(name), "{} {name} {read:?}", whole["kind"]);
        }
    }
}

// shows: WR-108
#[test]
fn nothing_is_said_about_a_session_but_that_it_exists() {
    let body = EventBody::SessionCreated;
    assert_eq!(data(&body), json!({}));
    assert!(with_data(&body, &json!({})).is_ok());
    for other in [json!({"goal": "x"}), json!({"runId": RUN}), json!([]), json!(null), json!("")] {
        assert!(with_data(&body, &other).is_err(), "{other}");
    }
}

#[test]
fn a_dedupe_key_that_is_not_the_one_of_the_body_is_refused() {
    let foreign = to_json(&at(0, bodies().remove(0)))["dedupeKey"].clone();
    for body in bodies() {
        let whole = to_json(&at(3, body));
        let mut other = whole.clone();
        other["sessionId"] = json!(SessionId::from_bytes([8; 16]));
        assert!(parse(&other).is_err(), "{}", whole["kind"]);
        if whole["kind"] != "session_created" {
            let mut other = whole.clone();
            other["dedupeKey"] = foreign.clone();
            assert!(parse(&other).is_err(), "{}", whole["kind"]);
        }
    }
}

#[test]
fn the_place_of_an_attempt_is_part_of_its_dedupe_key() {
    let advance = bodies().into_iter().find(|body| body.kind() == EventKind::AdvanceRecorded);
    let mut event = to_json(&at(3, advance.unwrap()));
    event["scope"]["nodeId"] = json!(NEXT);
    assert!(parse(&event).unwrap_err().to_string().contains("dedupe key"));
}

#[test]
fn the_number_at_the_end_of_an_observations_key_is_written_in_one_way() {
    let observation = bodies().remove(1);
    let event = to_json(&at(3, observation));
    let key = event["dedupeKey"].as_str().unwrap().strip_suffix(":2").unwrap();
    for (end, fine) in [(":3", true), (":02", false), (":", false), ("", false), (":x", false)] {
        let mut other = event.clone();
        other["dedupeKey"] = json!(format!("{key}{end}"));
        assert_eq!(parse(&other).is_ok(), fine, "{end}");
    }
}

#[test]
fn the_id_the_place_and_the_time_change_nothing_else() {
    for body in bodies() {
        let first = at(3, body.clone());
        let index = EventIndex::new(4).unwrap();
        let (id, time) = (EventId::from_bytes([99; 16]), TimestampMs(5));
        let second = SessionEvent::new(first.session(), index, id, time, body.clone());
        assert_eq!(first.dedupe_key(), second.dedupe_key());
        assert_eq!((second.index(), second.id(), second.timestamp()), (index, id, time));
        assert_eq!(second.body(), &body);
    }
}

#[test]
fn an_id_of_another_kind_is_refused() {
    let mut event = to_json(&at(0, bodies().remove(0)));
    event["eventId"] = json!(NodeId::from_bytes([1; 16]));
    assert!(parse(&event).is_err());
}

#[test]
fn a_time_that_could_not_be_written_again_is_refused() {
    let mut event = to_json(&at(0, bodies().remove(0)));
    for (time, fine) in [((1_u64 << 53) - 1, true), (1 << 53, false)] {
        event["timestampMs"] = json!(time);
        assert_eq!(parse(&event).is_ok(), fine, "{time}");
    }
}
