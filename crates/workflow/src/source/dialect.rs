//! The dialects of workflow files.

piton_core::closed_set! {
    /// In which form a workflow file is written.
    pub enum Dialect {
        /// Loops by contract, no variables in prompts.
        Strict => "strict",
        /// The form that existing workflow files use: conditions on what a run was told, variables in prompts.
        Shipped => "shipped",
    }
}
