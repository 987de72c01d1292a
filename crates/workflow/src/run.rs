//! The status of a run as a whole, and the next thing that is to happen.

piton_core::closed_set! {
    /// How far a run is, seen from its preferred tip.
    pub enum RunStatus {
        /// There is a step to do.
        InProgress => "in_progress",
        /// Something is missing that the run stops for.
        Blocked => "blocked",
        /// It reached its end, and no critical gap is open.
        Complete => "complete",
        /// It reached its end with a critical gap open.
        CompleteWithGaps => "complete_with_gaps",
    }
}

impl RunStatus {
    /// True if the run reached its end.
    pub const fn is_complete(self) -> bool {
        matches!(self, Self::Complete | Self::CompleteWithGaps)
    }
}

piton_core::closed_set! {
    /// What a reply asks the agent to do.
    pub enum NextIntent {
        /// Do the pending step, then continue with its output.
        PerformPendingThenContinue => "perform_pending_then_continue",
        /// Ask the person before the pending step is done.
        AwaitUserConfirmation => "await_user_confirmation",
        /// Read only: the reply holds no token that could advance the run.
        RehydrateOnly => "rehydrate_only",
        /// Nothing is left to do.
        Complete => "complete",
    }
}

piton_core::closed_set! {
    /// What an attempt on a node tries to do.
    pub enum AttemptIntent {
        /// Leave the node by submitting the pending step's output.
        AckPending => "ack_pending",
    }
}

piton_core::closed_set! {
    /// Where the source of a workflow was found.
    pub enum SourceKind {
        /// It came with the program.
        Bundled => "bundled",
        /// In the user's own directory.
        User => "user",
        /// In the project directory.
        Project => "project",
        /// Fetched from another machine.
        Remote => "remote",
        /// Brought by a plugin.
        Plugin => "plugin",
    }
}

piton_core::closed_set! {
    /// How a run's context came to be what a `context_set` event says.
    pub enum ContextSource {
        /// Given when the run started.
        Initial => "initial",
        /// Changed by an agent when it continued the run.
        AgentDelta => "agent_delta",
        /// Joined from several; read, and not written yet.
        Merge => "merge",
    }
}
