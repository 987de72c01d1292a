//! Gaps: durable records of what a run lacks.

piton_core::closed_set! {
    /// How much a gap matters.
    pub enum GapSeverity {
        /// Worth knowing.
        Info => "info",
        /// The result may suffer.
        Warning => "warning",
        /// The result is not what the workflow promises until the gap is resolved.
        Critical => "critical",
    }
}
