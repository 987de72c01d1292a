//! The JSON Schema of an event: one shape per kind.
//!
//! *Limitations*: a schema does not know dedupe keys, byte budgets, or agreement between two fields, and it
//! lets a field be `null` that may only be left out. An event that it accepts may still be refused when it is
//! read.

use std::borrow::Cow;

use piton_core::{DedupeKey, EventId, EventIndex, NodeId, RunId, SessionId, TimestampMs};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::advance::AdvanceRecorded;
use super::body::EventKind;
use super::capability::CapabilityObserved;
use super::context::ContextSet;
use super::divergence::DivergenceRecorded;
use super::envelope::{SessionEvent, VERSION};
use super::gap::GapRecorded;
use super::graph::{EdgeCreated, NodeCreated, RunStarted};
use super::observation::ObservationRecorded;
use super::output::NodeOutputAppended;
use super::preferences::PreferencesChanged;
use super::trace::DecisionTraceAppended;

impl JsonSchema for SessionEvent {
    fn schema_name() -> Cow<'static, str> {
        "SessionEvent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds: Vec<Value> = EventKind::ALL.iter().map(|kind| shape(*kind, generator)).collect();
        json_schema!({ "description": "One event of a session.", "oneOf": kinds })
    }
}

fn shape(kind: EventKind, generator: &mut SchemaGenerator) -> Value {
    let mut shape = json!({
        "type": "object",
        "properties": {
            "v": { "const": VERSION },
            "eventId": generator.subschema_for::<EventId>(),
            "eventIndex": generator.subschema_for::<EventIndex>(),
            "sessionId": generator.subschema_for::<SessionId>(),
            "kind": { "const": kind },
            "dedupeKey": generator.subschema_for::<DedupeKey>(),
            "data": data(kind, generator),
            "timestampMs": generator.subschema_for::<TimestampMs>(),
        },
        "required": [
            "v", "eventId", "eventIndex", "sessionId", "kind", "dedupeKey", "data", "timestampMs",
        ],
        "additionalProperties": false,
    });
    let fields: &[&str] = match kind {
        EventKind::SessionCreated => return shape,
        EventKind::RunStarted | EventKind::EdgeCreated | EventKind::ContextSet => &["runId"],
        _ => &["runId", "nodeId"],
    };
    let ids = [
        ("runId", generator.subschema_for::<RunId>()),
        ("nodeId", generator.subschema_for::<NodeId>()),
    ];
    let ids: serde_json::Map<String, Value> = ids
        .into_iter()
        .filter(|(name, _)| fields.contains(name))
        .map(|(name, schema)| (name.to_owned(), schema.into()))
        .collect();
    shape["properties"]["scope"] = json!({
        "type": "object",
        "properties": ids,
        "required": fields,
        "additionalProperties": false,
    });
    if kind != EventKind::ObservationRecorded {
        let required = shape["required"].as_array_mut().expect("it was written as an array");
        required.push("scope".into());
    }
    shape
}

fn data(kind: EventKind, generator: &mut SchemaGenerator) -> Schema {
    match kind {
        EventKind::SessionCreated => {
            json_schema!({ "type": "object", "additionalProperties": false })
        }
        EventKind::ObservationRecorded => generator.subschema_for::<ObservationRecorded>(),
        EventKind::RunStarted => generator.subschema_for::<RunStarted>(),
        EventKind::NodeCreated => generator.subschema_for::<NodeCreated>(),
        EventKind::EdgeCreated => generator.subschema_for::<EdgeCreated>(),
        EventKind::AdvanceRecorded => generator.subschema_for::<AdvanceRecorded>(),
        EventKind::NodeOutputAppended => generator.subschema_for::<NodeOutputAppended>(),
        EventKind::PreferencesChanged => generator.subschema_for::<PreferencesChanged>(),
        EventKind::CapabilityObserved => generator.subschema_for::<CapabilityObserved>(),
        EventKind::GapRecorded => generator.subschema_for::<GapRecorded>(),
        EventKind::DivergenceRecorded => generator.subschema_for::<DivergenceRecorded>(),
        EventKind::DecisionTraceAppended => generator.subschema_for::<DecisionTraceAppended>(),
        EventKind::ContextSet => generator.subschema_for::<ContextSet>(),
    }
}
