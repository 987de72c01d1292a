//! Details of a limit that a blocker or a gap reports.

use serde::{Deserialize, Serialize};

use super::field::iteration;
use crate::loop_path::Iteration;
use crate::name::LoopId;

/// The limit that was reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum LimitDetails {
    /// A loop wants to go on and may not.
    LoopLimit {
        /// The loop.
        loop_id: LoopId,
        /// The turn it was in.
        #[serde(with = "iteration")]
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        iteration: Iteration,
        /// How many turns it may have.
        max_iterations: u32,
    },
}
