//! The JSON Schema of events.

use std::collections::BTreeSet;

use piton_workflow::{EventKind, SessionEvent};
use serde_json::Value;

use super::sample::{at, bodies, to_json};

fn schema() -> Value {
    serde_json::to_value(schemars::schema_for!(SessionEvent)).unwrap()
}

#[test]
fn the_schema_of_an_event_is_fixed() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema()).unwrap());
}

// shows: WR-104
#[test]
fn no_schema_of_a_payload_has_the_ids_of_the_scope() {
    let schema = schema();
    let payloads: Vec<&str> = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|shape| shape["properties"]["data"]["$ref"].as_str())
        .collect();
    assert_eq!(payloads.len(), EventKind::ALL.len() - 1);
    for payload in payloads {
        let payload = schema.pointer(payload.strip_prefix('#').unwrap()).unwrap();
        for own in ["runId", "nodeId", "sessionId"] {
            assert!(payload["properties"].get(own).is_none(), "{own}");
        }
    }
}

#[test]
fn the_schema_of_a_kind_names_the_fields_that_its_events_have() {
    let schema = schema();
    for body in bodies() {
        let event = to_json(&at(1, body));
        let shapes = schema["oneOf"].as_array().unwrap();
        let shape = shapes.iter().find(|s| s["properties"]["kind"]["const"] == event["kind"]);
        let names = |value: &Value| -> BTreeSet<String> {
            value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
        };
        let known = names(&shape.unwrap()["properties"]);
        assert!(names(&event).is_subset(&known), "{event}");
        if let Some(payload) = shape.unwrap()["properties"]["data"]["$ref"].as_str() {
            let payload = schema.pointer(payload.strip_prefix('#').unwrap()).unwrap();
            assert!(names(&event["data"]).is_subset(&names(&payload["properties"])), "{event}");
        }
    }
}
