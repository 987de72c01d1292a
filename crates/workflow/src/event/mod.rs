//! The events of a session: thirteen kinds, their payloads, and the rules that hold across a log of them.
//!
//! ```text
//! {"v":1,"eventId":…,"eventIndex":…,"sessionId":…,"kind":…,"dedupeKey":…,
//!  "scope":{"runId":…,"nodeId":…},"data":{…},"timestampMs":…}
//! ```
//!
//! * [`SessionEvent`] is the envelope and [`EventBody`] its content. The engine makes a body; the envelope
//!   derives the dedupe key from it.
//! * [`LogRules`] checks what one event cannot know: that a parent exists, that a run has one root.
//!
//! | file | holds |
//! |---|---|
//! | `envelope`, `body` | an event, its JSON Schema, its kind and its scope |
//! | `read`, `strict_json` | reading an event; the deserializers that are stricter than serde |
//! | `log_rules` | the rules across a log, and the ways to break them |
//! | `graph` | `run_started`, `node_created`, `edge_created` |
//! | `advance` | `advance_recorded`, and the report of an attempt that was blocked |
//! | `output`, `observation`, `context`, `preferences`, `capability`, `gap`, `divergence`, `trace` | the payload of that name |
//! | `payload` | types that several payloads use |
//!
//! *Invariants*: a body carries the scope that its kind has, so a session with a node or a node without a run
//! does not build. One value has one text: a field that is unknown, repeated, `null` where it could be left
//! out, or over its budget is refused, and so is a dedupe key that does not follow from the body. A text is
//! shortened only when notes or a decision trace are made, never when something is read.
//!
//! *Limitations*: the store has to check that a digest in an event names something stored.

mod advance;
mod body;
mod capability;
mod context;
mod divergence;
mod envelope;
mod gap;
mod graph;
mod log_rules;
mod observation;
mod output;
mod payload;
mod preferences;
mod read;
pub(crate) mod strict_json;
mod trace;

pub use advance::{
    AdvanceOutcome, AdvanceRecorded, Blocker, BlockerCode, BlockerReport, LimitDetails, Pointer,
};
pub use body::{EventBody, EventKind};
pub use capability::{CapabilityObserved, CapabilityProvenance, UseResult};
pub use context::{ContextSet, RunContext};
pub use divergence::{DivergenceReason, DivergenceRecorded, NonEmptySummary};
pub use envelope::{EventScope, NodeScope, SessionEvent};
pub use gap::{EvidenceRef, GapRecorded, GapSeverity, Resolution};
pub use graph::{Cause, EdgeCause, EdgeCreated, EdgeKind, NodeCreated, NodeKind, RunStarted};
pub use log_rules::{LogFlaw, LogProblem, LogRules, validate};
pub use observation::{
    ChangeOrdinal, Confidence, GitSha1, ObservationKey, ObservationRecorded, ObservedValue,
};
pub use output::{ContentType, NodeOutputAppended, OutputChannel, OutputPayload};
pub use payload::{BoundedList, BuiltinRef, PayloadError};
pub use preferences::{
    Autonomy, PreferenceChange, PreferenceKey, PreferenceSource, Preferences, PreferencesChanged,
    RiskPolicy,
};
pub use trace::{DecisionTraceAppended, TraceEntry, TraceEntryKind, TraceRef};
