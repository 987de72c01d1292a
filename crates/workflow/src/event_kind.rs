//! The kinds of events in a session's stream.
//!
//! *Invariants*: thirteen, and no more within this version of the format. Anything else that is worth keeping
//! is an artifact of a node.

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
