//! The output of steps.

piton_core::closed_set! {
    /// What an output of a node is for.
    pub enum OutputChannel {
        /// Notes that say what happened and what comes next.
        Recap => "recap",
        /// A structured result, kept by its digest.
        Artifact => "artifact",
    }
}
