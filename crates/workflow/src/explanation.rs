//! Records of a run about itself, for people to read. Nothing depends on them.

piton_core::closed_set! {
    /// Why an agent left the way of its workflow on purpose.
    pub enum DivergenceReason {
        /// The person did not say something that the step needs.
        MissingUserContext => "missing_user_context",
        /// The agent lacks a capability that the step counts on.
        CapabilityUnavailable => "capability_unavailable",
        /// The step would have been wasted effort.
        EfficiencySkip => "efficiency_skip",
        /// Going on would have been dangerous.
        SafetyStop => "safety_stop",
        /// A policy forbids the step.
        PolicyConstraint => "policy_constraint",
    }
}

piton_core::closed_set! {
    /// What the engine did, as one entry of a decision trace.
    pub enum TraceEntryKind {
        /// It chose the step that is pending next.
        SelectedNextStep => "selected_next_step",
        /// It looked whether a condition holds.
        EvaluatedCondition => "evaluated_condition",
        /// It began a loop.
        EnteredLoop => "entered_loop",
        /// It ended a loop.
        ExitedLoop => "exited_loop",
        /// It saw that the run is continued from a node that is no tip.
        DetectedNonTipAdvance => "detected_non_tip_advance",
    }
}
