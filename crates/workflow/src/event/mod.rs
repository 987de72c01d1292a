//! The events of a session: thirteen kinds, their payloads, and the rules that hold across a log of them.
//!
//! ```text
//! {"v":1,"eventId":…,"eventIndex":…,"sessionId":…,"kind":…,"dedupeKey":…,
//!  "scope":{"runId":…,"nodeId":…},"data":{…},"timestampMs":…}
//! ```
//!
//! * [`SessionEvent`] is the envelope and [`EventBody`] its content. The engine makes a body; the envelope
//!   derives the dedupe key from it.
//! * One file per payload, in the order of the kinds.
//! * [`LogRules`] checks what one event cannot know: that a parent exists, that a run has one root.
//!
//! *Invariants*: a body carries the scope that its kind has, so a session with a node or a node without a run
//! does not build. One value has one text: a field that is unknown, repeated, `null` where it could be left
//! out, or over its budget is refused, and so is a dedupe key that does not follow from the body. A text is
//! shortened only when notes or a decision trace are made, never when something is read.
//!
//! *Limitations*: the store has to check that a digest in an event names something stored.

mod advance;
mod blocker_report;
mod body;
mod builtin_ref;
mod capability;
mod context;
mod divergence;
mod edge;
mod envelope;
mod few;
mod field;
mod flaw;
mod gap;
mod limit;
mod node;
mod observation;
mod output;
mod payload_error;
mod preferences;
mod read;
mod rules;
mod run;
#[cfg(feature = "schema")]
mod schema;
mod scope;
mod trace;
pub(crate) mod unique;

pub use advance::{AdvanceOutcome, AdvanceRecorded};
pub use blocker_report::{Blocker, BlockerReport, Pointer};
pub use body::EventBody;
pub use builtin_ref::BuiltinRef;
pub use capability::{CapabilityObserved, CapabilityProvenance, UseResult};
pub use context::{ContextSet, RunContext};
pub use divergence::{DivergenceRecorded, NonEmptySummary};
pub use edge::{Cause, EdgeCreated};
pub use envelope::SessionEvent;
pub use few::Few;
pub use flaw::{LogFlaw, LogProblem};
pub use gap::{EvidenceRef, GapRecorded, Resolution};
pub use limit::LimitDetails;
pub use node::NodeCreated;
pub use observation::{GitSha1, ObservationRecorded, ObservedValue};
pub use output::{ContentType, NodeOutputAppended, OutputPayload};
pub use payload_error::PayloadError;
pub use preferences::{PreferenceChange, PreferenceKey, Preferences, PreferencesChanged};
pub use rules::{LogRules, validate};
pub use run::RunStarted;
pub use scope::{EventScope, NodeScope};
pub use trace::{DecisionTraceAppended, TraceEntry, TraceRef};
