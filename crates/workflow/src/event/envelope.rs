//! The envelope of every event, and its JSON Schema: one shape per kind.
//!
//! *Invariants*: the dedupe key always follows from the body, whoever wrote the line. Nothing is ordered,
//! keyed or decided by time.
//!
//! *Limitations*: a schema does not know dedupe keys, byte budgets, or agreement between two fields, and it
//! lets a field be `null` that may only be left out. An event that it accepts may still be refused when it is
//! read.

use std::borrow::Cow;

use piton_core::{
    DedupeKey, EventId, EventIndex, NodeId, RunId, SessionId, SnapshotRef, TimestampMs,
};
use piton_store::StreamId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::advance::AdvanceRecorded;
use super::body::{EventBody, EventKind};
use super::capability::CapabilityObserved;
use super::context::ContextSet;
use super::divergence::DivergenceRecorded;
use super::gap::GapRecorded;
use super::graph::{EdgeCreated, NodeCreated, RunStarted};
use super::observation::ObservationRecorded;
use super::output::NodeOutputAppended;
use super::preferences::PreferencesChanged;
use super::strict_json::present;
use super::trace::DecisionTraceAppended;

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// One event of a session.
///
/// ```
/// use piton_core::{EventId, EventIndex, SessionId, TimestampMs, canonical};
/// use piton_workflow::{EventBody, SessionEvent};
/// let session = SessionId::from_bytes([1; 16]);
/// let id = EventId::from_bytes([2; 16]);
/// let event = SessionEvent::new(
///     session, EventIndex::ZERO, id, TimestampMs(1_700_000_000_000), EventBody::SessionCreated,
/// );
/// assert_eq!(event.dedupe_key().as_str(), format!("session_created:{session}"));
/// let line = canonical::encode(&event)?;
/// assert!(line.as_str().starts_with(r#"{"data":{},"dedupeKey":"session_created:sess_"#));
/// # Ok::<(), piton_core::CanonicalError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEvent {
    session: SessionId,
    index: EventIndex,
    id: EventId,
    timestamp: TimestampMs,
    dedupe_key: DedupeKey,
    body: EventBody,
}

impl SessionEvent {
    /// Creates the event that records `body` at `index` of `session`.
    pub fn new(
        session: SessionId,
        index: EventIndex,
        id: EventId,
        timestamp: TimestampMs,
        body: EventBody,
    ) -> Self {
        let dedupe_key = body.dedupe_key(session);
        Self { session, index, id, timestamp, dedupe_key, body }
    }

    /// Returns the session.
    pub const fn session(&self) -> SessionId {
        self.session
    }

    /// Returns the position in the session, which is the only order there is.
    pub const fn index(&self) -> EventIndex {
        self.index
    }

    /// Returns the id, which is new at each append.
    pub const fn id(&self) -> EventId {
        self.id
    }

    /// Returns the time of recording, which is for people only.
    pub const fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Returns the key that makes recording the event twice harmless.
    pub const fn dedupe_key(&self) -> &DedupeKey {
        &self.dedupe_key
    }

    /// Returns the content.
    pub const fn body(&self) -> &EventBody {
        &self.body
    }
}

impl piton_store::Event for SessionEvent {
    const VERSION: u32 = VERSION;

    /// Always the same: a line of another version does not become a value of this type.
    fn version(&self) -> u32 {
        VERSION
    }

    fn index(&self) -> EventIndex {
        self.index
    }

    fn id(&self) -> EventId {
        self.id
    }

    fn dedupe_key(&self) -> &DedupeKey {
        &self.dedupe_key
    }

    fn belongs_to(&self, stream: &StreamId) -> bool {
        stream.as_str().parse().is_ok_and(|session: SessionId| session == self.session)
    }

    fn introduces(&self) -> Option<SnapshotRef> {
        self.body.introduces()
    }
}

impl Serialize for SessionEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scope = self.body.scope();
        let fields = 8 + usize::from(scope.is_some());
        let mut event = serializer.serialize_struct("SessionEvent", fields)?;
        // In canonical order, so that the encoder has nothing to sort.
        event.serialize_field("data", &Data(&self.body))?;
        event.serialize_field("dedupeKey", &self.dedupe_key)?;
        event.serialize_field("eventId", &self.id)?;
        event.serialize_field("eventIndex", &self.index)?;
        event.serialize_field("kind", &self.body.kind())?;
        match scope {
            Some(scope) => event.serialize_field("scope", &scope)?,
            None => event.skip_field("scope")?,
        }
        event.serialize_field("sessionId", &self.session)?;
        event.serialize_field("timestampMs", &self.timestamp)?;
        event.serialize_field("v", &VERSION)?;
        event.end()
    }
}

/// The payload of a body, without its scope.
struct Data<'a>(&'a EventBody);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            EventBody::SessionCreated => serializer.serialize_struct("SessionCreated", 0)?.end(),
            EventBody::ObservationRecorded { data, .. } => data.serialize(serializer),
            EventBody::RunStarted(_, data) => data.serialize(serializer),
            EventBody::NodeCreated(_, data) => data.serialize(serializer),
            EventBody::EdgeCreated(_, data) => data.serialize(serializer),
            EventBody::AdvanceRecorded(_, data) => data.serialize(serializer),
            EventBody::NodeOutputAppended(_, data) => data.serialize(serializer),
            EventBody::PreferencesChanged(_, data) => data.serialize(serializer),
            EventBody::CapabilityObserved(_, data) => data.serialize(serializer),
            EventBody::GapRecorded(_, data) => data.serialize(serializer),
            EventBody::DivergenceRecorded(_, data) => data.serialize(serializer),
            EventBody::DecisionTraceAppended(_, data) => data.serialize(serializer),
            EventBody::ContextSet(_, data) => data.serialize(serializer),
        }
    }
}

/// A node and its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeScope {
    pub run: RunId,
    pub node: NodeId,
}

/// The scope of any event, as its envelope writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventScope {
    /// The node.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The run.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
}

impl From<RunId> for EventScope {
    fn from(run: RunId) -> Self {
        Self { run_id: Some(run), node_id: None }
    }
}

impl From<NodeScope> for EventScope {
    fn from(scope: NodeScope) -> Self {
        Self { run_id: Some(scope.run), node_id: Some(scope.node) }
    }
}

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
