//! Ids that derive from the attempt that something came with, so that building a plan again gives the same ids.

use piton_core::{
    AttemptId, ChangeId, Digest, DivergenceId, GapId, NodeId, ObservationId, OutputId, RunId,
    SessionId, TraceId, canonical,
};
use serde::Serialize;

use crate::event::OutputChannel;

/// The preimage of a derived id. The tags keep the kinds of ids apart.
#[derive(Serialize)]
#[serde(tag = "derived", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Derived {
    RootNode { session_id: SessionId, run_id: RunId },
    RootChange { session_id: SessionId, run_id: RunId },
    RootOutput { session_id: SessionId, run_id: RunId, sha256: Digest },
    RootTrace { session_id: SessionId, run_id: RunId },
    RootGap { session_id: SessionId, run_id: RunId, ordinal: usize },
    Node { session_id: SessionId, attempt_id: AttemptId },
    Output { attempt_id: AttemptId, channel: OutputChannel, sha256: Digest },
    Gap { attempt_id: AttemptId, ordinal: usize },
    Resolution { attempt_id: AttemptId, gap_id: GapId },
    Observation { attempt_id: AttemptId, ordinal: usize },
    Divergence { attempt_id: AttemptId, ordinal: usize },
    Trace { attempt_id: AttemptId },
}

impl Derived {
    fn digest(&self) -> Digest {
        Digest::of(&canonical::encode(self).expect("short texts and small numbers"))
    }
}

/// Derives the session that belongs to a start key.
pub(super) fn session(start_key: &str, project_dir: &str) -> SessionId {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct DerivedForm<'a> {
        project_dir: &'a str,
        start_key: &'a str,
    }
    let form = canonical::encode(&DerivedForm { project_dir, start_key });
    SessionId::from_digest(&Digest::of(&form.expect("two texts have a canonical form")))
}

pub(super) fn root_node(session_id: SessionId, run_id: RunId) -> NodeId {
    NodeId::from_digest(&Derived::RootNode { session_id, run_id }.digest())
}

pub(super) fn root_change(session_id: SessionId, run_id: RunId) -> ChangeId {
    ChangeId::from_digest(&Derived::RootChange { session_id, run_id }.digest())
}

pub(super) fn root_output(session_id: SessionId, run_id: RunId, sha256: Digest) -> OutputId {
    OutputId::from_digest(&Derived::RootOutput { session_id, run_id, sha256 }.digest())
}

pub(super) fn root_trace(session_id: SessionId, run_id: RunId) -> TraceId {
    TraceId::from_digest(&Derived::RootTrace { session_id, run_id }.digest())
}

pub(super) fn root_gap(session_id: SessionId, run_id: RunId, ordinal: usize) -> GapId {
    GapId::from_digest(&Derived::RootGap { session_id, run_id, ordinal }.digest())
}

/// Derives the node that an attempt leads to.
pub(super) fn node(session_id: SessionId, attempt_id: AttemptId) -> NodeId {
    NodeId::from_digest(&Derived::Node { session_id, attempt_id }.digest())
}

/// Derives the id of an output of an attempt with this content.
pub(super) fn output(attempt_id: AttemptId, channel: OutputChannel, sha256: Digest) -> OutputId {
    OutputId::from_digest(&Derived::Output { attempt_id, channel, sha256 }.digest())
}

pub(super) fn gap(attempt_id: AttemptId, ordinal: usize) -> GapId {
    GapId::from_digest(&Derived::Gap { attempt_id, ordinal }.digest())
}

pub(super) fn resolution(attempt_id: AttemptId, gap_id: GapId) -> GapId {
    GapId::from_digest(&Derived::Resolution { attempt_id, gap_id }.digest())
}

pub(super) fn observation(attempt_id: AttemptId, ordinal: usize) -> ObservationId {
    ObservationId::from_digest(&Derived::Observation { attempt_id, ordinal }.digest())
}

pub(super) fn divergence(attempt_id: AttemptId, ordinal: usize) -> DivergenceId {
    DivergenceId::from_digest(&Derived::Divergence { attempt_id, ordinal }.digest())
}

pub(super) fn trace(attempt_id: AttemptId) -> TraceId {
    TraceId::from_digest(&Derived::Trace { attempt_id }.digest())
}
