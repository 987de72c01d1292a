//! Preferences of a person about how a run continues.
//!
//! *Invariants*: a preference changes when a run stops and what it warns about. It never changes what counts
//! as missing, and never what must be recorded.

piton_core::closed_set! {
    /// When a run waits for a person.
    pub enum Autonomy {
        /// It stops for whatever blocks it, and where a step asks for confirmation.
        Guided => "guided",
        /// It asks for no confirmation, and still stops for whatever blocks it, above all for what only
        /// a person can give.
        FullAutoStopOnUserDeps => "full_auto_stop_on_user_deps",
        /// It never stops: what is missing is recorded as a critical gap.
        FullAutoNeverStop => "full_auto_never_stop",
    }
}

piton_core::closed_set! {
    /// Which of several correct ways is taken by default, and how early a warning is given.
    pub enum RiskPolicy {
        /// The safer way; warns early.
        Conservative => "conservative",
        /// Weighs safety against effort.
        Balanced => "balanced",
        /// The faster way; warns late.
        Aggressive => "aggressive",
    }
}

piton_core::closed_set! {
    /// Who changed the preferences of a node.
    pub enum PreferenceSource {
        /// A person.
        User => "user",
        /// The workflow, as its author recommends.
        WorkflowRecommendation => "workflow_recommendation",
        /// Piton itself, when a run starts.
        System => "system",
    }
}
