//! The content of an event, with the scope that its kind has.
//!
// shows in part: WR-109, WR-112 (the two examples below that must not build)
//! ```compile_fail,E0618
//! # use piton_core::RunId;
//! # use piton_workflow::EventBody;
//! // A session is not created within a run.
//! let _ = EventBody::SessionCreated(RunId::from_bytes([1; 16]));
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{EventBody, event::{NodeScope, RunStarted}};
//! // A run does not start on a node.
//! fn wrong(scope: NodeScope, started: RunStarted) -> EventBody {
//!     EventBody::RunStarted(scope, started)
//! }
//! ```

use piton_core::{DedupeKey, RunId, SessionId, SnapshotRef};

use super::advance::AdvanceRecorded;
use super::capability::CapabilityObserved;
use super::context::ContextSet;
use super::divergence::DivergenceRecorded;
use super::envelope::{EventScope, NodeScope};
use super::gap::GapRecorded;
use super::graph::{EdgeCreated, NodeCreated, RunStarted};
use super::observation::{ChangeOrdinal, ObservationRecorded};
use super::output::NodeOutputAppended;
use super::preferences::PreferencesChanged;
use super::trace::DecisionTraceAppended;
use crate::dedupe;

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventBody {
    SessionCreated,
    /// A fact about the surroundings was observed.
    ObservationRecorded {
        /// The node where it was observed; rarely known, so usually `None`.
        scope: Option<NodeScope>,
        /// The number of earlier observations of the same key. It is stored in the dedupe key only.
        change: ChangeOrdinal,
        data: ObservationRecorded,
    },
    RunStarted(RunId, RunStarted),
    /// A run has a new node, which the scope names.
    NodeCreated(NodeScope, NodeCreated),
    /// Two nodes of a run were joined.
    EdgeCreated(RunId, EdgeCreated),
    /// An agent tried to advance a run from a node.
    AdvanceRecorded(NodeScope, AdvanceRecorded),
    NodeOutputAppended(NodeScope, NodeOutputAppended),
    PreferencesChanged(NodeScope, PreferencesChanged),
    /// A capability of the agent was probed, used or claimed.
    CapabilityObserved(NodeScope, CapabilityObserved),
    /// Something is missing, or something missing was supplied.
    GapRecorded(NodeScope, GapRecorded),
    /// The agent left the path of the workflow on purpose.
    DivergenceRecorded(NodeScope, DivergenceRecorded),
    /// The engine recorded the reasons for a decision.
    DecisionTraceAppended(NodeScope, DecisionTraceAppended),
    ContextSet(RunId, ContextSet),
}

impl EventBody {
    /// Returns the kind of event.
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::SessionCreated => EventKind::SessionCreated,
            Self::ObservationRecorded { .. } => EventKind::ObservationRecorded,
            Self::RunStarted(..) => EventKind::RunStarted,
            Self::NodeCreated(..) => EventKind::NodeCreated,
            Self::EdgeCreated(..) => EventKind::EdgeCreated,
            Self::AdvanceRecorded(..) => EventKind::AdvanceRecorded,
            Self::NodeOutputAppended(..) => EventKind::NodeOutputAppended,
            Self::PreferencesChanged(..) => EventKind::PreferencesChanged,
            Self::CapabilityObserved(..) => EventKind::CapabilityObserved,
            Self::GapRecorded(..) => EventKind::GapRecorded,
            Self::DivergenceRecorded(..) => EventKind::DivergenceRecorded,
            Self::DecisionTraceAppended(..) => EventKind::DecisionTraceAppended,
            Self::ContextSet(..) => EventKind::ContextSet,
        }
    }

    /// Returns the scope; `None` for the session as a whole.
    pub fn scope(&self) -> Option<EventScope> {
        match self {
            Self::SessionCreated => None,
            Self::ObservationRecorded { scope, .. } => scope.map(EventScope::from),
            Self::RunStarted(run, _) | Self::EdgeCreated(run, _) | Self::ContextSet(run, _) => {
                Some((*run).into())
            }
            Self::NodeCreated(scope, _)
            | Self::AdvanceRecorded(scope, _)
            | Self::NodeOutputAppended(scope, _)
            | Self::PreferencesChanged(scope, _)
            | Self::CapabilityObserved(scope, _)
            | Self::GapRecorded(scope, _)
            | Self::DivergenceRecorded(scope, _)
            | Self::DecisionTraceAppended(scope, _) => Some((*scope).into()),
        }
    }

    /// Returns the key that makes recording the event twice in `session` harmless.
    pub fn dedupe_key(&self, session: SessionId) -> DedupeKey {
        match self {
            Self::SessionCreated => dedupe::session_created(session),
            Self::ObservationRecorded { change, data, .. } => {
                let value = data.value.canonical();
                dedupe::observation_recorded(session, data.key, &value, *change)
            }
            Self::RunStarted(run, _) => dedupe::run_started(session, *run),
            Self::NodeCreated(at, _) => dedupe::node_created(session, at.run, at.node),
            Self::EdgeCreated(run, edge) => {
                dedupe::edge_created(session, *run, edge.from(), edge.to(), edge.kind())
            }
            Self::AdvanceRecorded(at, data) => {
                dedupe::advance_recorded(session, at.node, data.attempt_id)
            }
            Self::NodeOutputAppended(_, data) => {
                dedupe::node_output_appended(session, data.output_id)
            }
            Self::PreferencesChanged(_, data) => {
                dedupe::preferences_changed(session, data.change())
            }
            Self::CapabilityObserved(_, data) => {
                dedupe::capability_observed(session, data.observation())
            }
            Self::GapRecorded(_, data) => dedupe::gap_recorded(session, data.gap_id),
            Self::DivergenceRecorded(_, data) => {
                dedupe::divergence_recorded(session, data.divergence_id)
            }
            Self::DecisionTraceAppended(_, data) => {
                dedupe::decision_trace_appended(session, data.trace())
            }
            Self::ContextSet(run, data) => dedupe::context_set(session, *run, data.context_id),
        }
    }

    /// Returns the snapshot that a new node introduces.
    pub const fn introduces(&self) -> Option<SnapshotRef> {
        match self {
            Self::NodeCreated(_, node) => Some(node.snapshot_ref),
            _ => None,
        }
    }
}

piton_core::closed_set! {
    /// What an event records.
    pub enum EventKind {
        /// The session exists.
        SessionCreated => "session_created",
        /// Something about the surroundings was seen, such as the branch of a repository.
        ObservationRecorded => "observation_recorded",
        /// A run began, pinned to a compiled workflow.
        RunStarted => "run_started",
        /// A run has a new node.
        NodeCreated => "node_created",
        /// Two nodes of a run are joined.
        EdgeCreated => "edge_created",
        /// An agent tried to advance a run, with the outcome.
        AdvanceRecorded => "advance_recorded",
        /// A node has a new output.
        NodeOutputAppended => "node_output_appended",
        /// The preferences of a node changed.
        PreferencesChanged => "preferences_changed",
        /// A capability of the agent was probed, used or claimed.
        CapabilityObserved => "capability_observed",
        /// Something is missing, or something missing was supplied.
        GapRecorded => "gap_recorded",
        /// The agent left the way of the workflow on purpose.
        DivergenceRecorded => "divergence_recorded",
        /// Why the engine decided as it did.
        DecisionTraceAppended => "decision_trace_appended",
        /// The context of a run was set.
        ContextSet => "context_set",
    }
}
