//! Reads an event: its fields, its scope, its payload, and then the check that the dedupe key is its own.

use piton_core::bounds::INTEGER_MAX;
use piton_core::{DedupeKey, EventId, EventIndex, RunId, SessionId, TimestampMs};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::body::{EventBody, EventKind};
use super::envelope::{EventScope, NodeScope, SessionEvent, VERSION};
use super::observation::ChangeOrdinal;
use super::strict_json::{ObjectField, Unique, present};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UncheckedEvent {
    v: u32,
    event_id: EventId,
    event_index: EventIndex,
    session_id: SessionId,
    kind: EventKind,
    dedupe_key: DedupeKey,
    #[serde(default, deserialize_with = "present")]
    scope: Option<ObjectField<EventScope>>,
    data: Unique,
    timestamp_ms: TimestampMs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Reason that the parts of an event do not form one.
#[derive(Debug, thiserror::Error)]
enum EventProblem {
    #[error("this program reads events of version {VERSION} only")]
    Version,
    #[error("the time is not a number that canonical JSON can hold")]
    Time,
    #[error("the scope of `{kind}` {rule}")]
    Scope { kind: EventKind, rule: &'static str },
    #[error("the data of `{kind}` has something else where an object belongs")]
    NotAnObject { kind: EventKind },
    #[error("the data of `{kind}`: {problem}")]
    Data { kind: EventKind, problem: serde_json::Error },
    #[error("the dedupe key is not the one of what is recorded")]
    DedupeKey,
}

impl<'de> Deserialize<'de> for SessionEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // serde alone would also accept the fields as a list.
        let ObjectField(event) = ObjectField::<UncheckedEvent>::deserialize(deserializer)?;
        event.check().map_err(D::Error::custom)
    }
}

impl UncheckedEvent {
    fn check(self) -> Result<SessionEvent, EventProblem> {
        if self.v != VERSION {
            return Err(EventProblem::Version);
        }
        // A larger integer has no canonical form, so the event could not be written again.
        if self.timestamp_ms.get() > INTEGER_MAX {
            return Err(EventProblem::Time);
        }
        let scope =
            FoundScope { kind: self.kind, scope: self.scope.map(|ObjectField(scope)| scope) };
        // Only for an observation does the key add something to the body: the number of earlier changes.
        let body = body(scope, self.data.0, &self.dedupe_key)?;
        let event = SessionEvent::new(
            self.session_id,
            self.event_index,
            self.event_id,
            self.timestamp_ms,
            body,
        );
        // The key is derived again instead of trusted. A stored key that differs could hide a later, real
        // duplicate.
        if *event.dedupe_key() != self.dedupe_key {
            return Err(EventProblem::DedupeKey);
        }
        Ok(event)
    }
}

fn body(scope: FoundScope, data: Value, key: &DedupeKey) -> Result<EventBody, EventProblem> {
    let kind = scope.kind;
    Ok(match kind {
        EventKind::SessionCreated => {
            scope.none()?;
            let Nothing {} = read(kind, data)?;
            EventBody::SessionCreated
        }
        EventKind::ObservationRecorded => EventBody::ObservationRecorded {
            scope: scope.node_or_none()?,
            change: change(key)?,
            data: read(kind, data)?,
        },
        EventKind::RunStarted => EventBody::RunStarted(scope.run()?, read(kind, data)?),
        EventKind::NodeCreated => EventBody::NodeCreated(scope.node()?, read(kind, data)?),
        EventKind::EdgeCreated => EventBody::EdgeCreated(scope.run()?, read(kind, data)?),
        EventKind::AdvanceRecorded => EventBody::AdvanceRecorded(scope.node()?, read(kind, data)?),
        EventKind::NodeOutputAppended => {
            EventBody::NodeOutputAppended(scope.node()?, read(kind, data)?)
        }
        EventKind::PreferencesChanged => {
            EventBody::PreferencesChanged(scope.node()?, read(kind, data)?)
        }
        EventKind::CapabilityObserved => {
            EventBody::CapabilityObserved(scope.node()?, read(kind, data)?)
        }
        EventKind::GapRecorded => EventBody::GapRecorded(scope.node()?, read(kind, data)?),
        EventKind::DivergenceRecorded => {
            EventBody::DivergenceRecorded(scope.node()?, read(kind, data)?)
        }
        EventKind::DecisionTraceAppended => {
            EventBody::DecisionTraceAppended(scope.node()?, read(kind, data)?)
        }
        EventKind::ContextSet => EventBody::ContextSet(scope.run()?, read(kind, data)?),
    })
}

fn read<T: DeserializeOwned>(kind: EventKind, data: Value) -> Result<T, EventProblem> {
    // The content of a context belongs to the caller, so lists are allowed anywhere in it.
    let is_context = |field: &str| kind == EventKind::ContextSet && field == "context";
    let is_fine = data.as_object().is_some_and(|fields| {
        fields.iter().all(|(field, value)| is_context(field) || lists_belong(field, value))
    });
    if !is_fine {
        return Err(EventProblem::NotAnObject { kind });
    }
    serde_json::from_value(data).map_err(|problem| EventProblem::Data { kind, problem })
}

/// The fields that hold a list, in any payload.
const LISTS: [&str; 5] = ["blockers", "delta", "entries", "evidenceRefs", "refs"];

/// True if every list in the value of a field is allowed there. serde would also read the fields of an object
/// from a list, and one event would then have two texts.
fn lists_belong(field: &str, value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().all(|(field, value)| lists_belong(field, value)),
        // The items of an allowed list have no field name, so a list nested directly in a list is never
        // allowed.
        Value::Array(items) => {
            LISTS.contains(&field)
                && items.iter().all(|item| !item.is_array() && lists_belong("", item))
        }
        _ => true,
    }
}

/// Reads the number of earlier changes, which only the end of the key holds. The rest of the key, and the
/// spelling of the number, are checked when the whole key is derived again.
fn change(key: &DedupeKey) -> Result<ChangeOrdinal, EventProblem> {
    let (_, number) = key.as_str().rsplit_once(':').ok_or(EventProblem::DedupeKey)?;
    number.parse().map(ChangeOrdinal).map_err(|_| EventProblem::DedupeKey)
}

/// The scope that was found on an event of some kind.
#[derive(Clone, Copy)]
struct FoundScope {
    kind: EventKind,
    scope: Option<EventScope>,
}

impl FoundScope {
    fn none(self) -> Result<(), EventProblem> {
        if self.scope.is_some() { Err(self.refuse("is left out")) } else { Ok(()) }
    }

    fn run(self) -> Result<RunId, EventProblem> {
        match self.scope {
            Some(EventScope { run_id: Some(run), node_id: None }) => Ok(run),
            _ => Err(self.refuse("has `runId` and not `nodeId`")),
        }
    }

    fn node(self) -> Result<NodeScope, EventProblem> {
        match self.scope {
            Some(EventScope { run_id: Some(run), node_id: Some(node) }) => {
                Ok(NodeScope { run, node })
            }
            _ => Err(self.refuse("has `runId` and `nodeId`")),
        }
    }

    fn node_or_none(self) -> Result<Option<NodeScope>, EventProblem> {
        match self.scope {
            None => Ok(None),
            Some(EventScope { run_id: Some(run), node_id: Some(node) }) => {
                Ok(Some(NodeScope { run, node }))
            }
            Some(_) => Err(self.refuse("has `runId` and `nodeId`, or is left out")),
        }
    }

    const fn refuse(self, rule: &'static str) -> EventProblem {
        EventProblem::Scope { kind: self.kind, rule }
    }
}
