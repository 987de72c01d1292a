//! The graph of a run: kinds of nodes and edges.
//!
//! *Invariants*: a branch has no id of its own. The edges to a leaf define it.

piton_core::closed_set! {
    /// What a run node stands for.
    pub enum NodeKind {
        /// A place from which a run goes on.
        Step => "step",
        /// A bookmark on a step node. Nothing advances from it.
        Checkpoint => "checkpoint",
        /// An attempt that was blocked. It is read and never written: a block is recorded on the node
        /// where it happened.
        BlockedAttempt => "blocked_attempt",
    }
}

piton_core::closed_set! {
    /// How a run node came out of its parent.
    pub enum EdgeKind {
        /// The parent's pending step was done.
        AckedStep => "acked_step",
        /// A bookmark was made on the parent.
        Checkpoint => "checkpoint",
    }
}

piton_core::closed_set! {
    /// Why an edge was made.
    pub enum EdgeCause {
        /// An answer was repeated. It is read and never written: a repeated answer makes no edge.
        IdempotentReplay => "idempotent_replay",
        /// The run was continued from a tip.
        IntentionalFork => "intentional_fork",
        /// The run was continued from a node that had been continued before.
        NonTipAdvance => "non_tip_advance",
        /// A bookmark was made.
        CheckpointCreated => "checkpoint_created",
    }
}
