//! The dedupe key of every kind of event.
//!
//! *Invariants*: one function per [`EventKind`]. It takes ids that stay the same when an append is retried,
//! and nothing else: no clock, no text that a person wrote (its digest instead), and no
//! [`EventId`](piton_core::EventId), which is new at each try. So the same fact has the same key, and a
//! second append of it is found.
//!
//! ```compile_fail,E0308
//! # use piton_core::{EventId, SessionId};
//! # use piton_workflow::dedupe;
//! # let (session, event) = (SessionId::from_bytes([1; 16]), EventId::from_bytes([2; 16]));
//! // The id of an event is part of no key.
//! let _ = dedupe::gap_recorded(session, event);
//! ```

use std::fmt::Display;

use piton_core::{
    AttemptId, CanonicalBytes, ChangeId, ContextId, DedupeKey, Digest, DivergenceId, GapId, NodeId,
    ObservationId, OutputId, RunId, SessionId, TraceId,
};

use crate::event::{ChangeOrdinal, EdgeKind, EventKind, ObservationKey};

fn key(kind: EventKind, parts: &[&dyn Display]) -> DedupeKey {
    DedupeKey::new(kind.as_str(), parts)
        .expect("ids, digests, numbers and names of closed sets are short and lowercase")
}

/// Returns the key of a session's creation: a session exists once.
pub fn session_created(session: SessionId) -> DedupeKey {
    key(EventKind::SessionCreated, &[&session])
}

/// Returns the key of an observation: a value is recorded once each time that it becomes the latest of its
/// key.
///
/// `value` is the canonical JSON of the observed value; only its digest becomes part of the key. `change`
/// distinguishes a value that returns from its first occurrence, which would hide it otherwise.
pub fn observation_recorded(
    session: SessionId,
    observed: ObservationKey,
    value: &CanonicalBytes,
    change: ChangeOrdinal,
) -> DedupeKey {
    key(EventKind::ObservationRecorded, &[&session, &observed, &Digest::of(value), &change])
}

/// Returns the key of a run's start: a run starts once.
pub fn run_started(session: SessionId, run: RunId) -> DedupeKey {
    key(EventKind::RunStarted, &[&session, &run])
}

/// Returns the key of a node's creation: a node is created once.
pub fn node_created(session: SessionId, run: RunId, node: NodeId) -> DedupeKey {
    key(EventKind::NodeCreated, &[&session, &run, &node])
}

/// Returns the key of an edge: each kind of edge joins two nodes at most once.
pub fn edge_created(
    session: SessionId,
    run: RunId,
    from: NodeId,
    to: NodeId,
    kind: EdgeKind,
) -> DedupeKey {
    key(EventKind::EdgeCreated, &[&session, &run, &format_args!("{from}->{to}"), &kind])
}

/// Returns the key of an attempt: it has one outcome on a node. The node is part of the key, so that an
/// attempt with an id that was mistakenly used on another node is not mistaken for that one.
pub fn advance_recorded(session: SessionId, node: NodeId, attempt: AttemptId) -> DedupeKey {
    key(EventKind::AdvanceRecorded, &[&session, &node, &attempt])
}

/// Returns the key of an output: it is appended once.
pub fn node_output_appended(session: SessionId, output: OutputId) -> DedupeKey {
    key(EventKind::NodeOutputAppended, &[&session, &output])
}

/// Returns the key of a change of preferences: it is recorded once.
pub fn preferences_changed(session: SessionId, change: ChangeId) -> DedupeKey {
    key(EventKind::PreferencesChanged, &[&session, &change])
}

/// Returns the key of a capability observation: it is recorded once; a later one of the same capability has
/// another id.
pub fn capability_observed(session: SessionId, observation: ObservationId) -> DedupeKey {
    key(EventKind::CapabilityObserved, &[&session, &observation])
}

/// Returns the key of a gap: it is recorded once.
pub fn gap_recorded(session: SessionId, gap: GapId) -> DedupeKey {
    key(EventKind::GapRecorded, &[&session, &gap])
}

/// Returns the key of a divergence: it is recorded once.
pub fn divergence_recorded(session: SessionId, divergence: DivergenceId) -> DedupeKey {
    key(EventKind::DivergenceRecorded, &[&session, &divergence])
}

/// Returns the key of a decision trace: it is appended once.
pub fn decision_trace_appended(session: SessionId, trace: TraceId) -> DedupeKey {
    key(EventKind::DecisionTraceAppended, &[&session, &trace])
}

/// Returns the key of a context: each attempt sets the context of a run once, and the context's id names the
/// attempt.
pub fn context_set(session: SessionId, run: RunId, context: ContextId) -> DedupeKey {
    key(EventKind::ContextSet, &[&session, &run, &context])
}
