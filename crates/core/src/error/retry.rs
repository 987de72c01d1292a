//! Retry rules of errors.

use serde::{Deserialize, Serialize};

/// Whether the same call can succeed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Retry {
    /// The same call will fail again; something has to change first.
    NotRetryable,
    /// The same call may succeed at once.
    RetryableImmediate,
    /// The same call may succeed after a wait.
    RetryableAfterMs {
        /// How long to wait.
        after_ms: u64,
    },
}
