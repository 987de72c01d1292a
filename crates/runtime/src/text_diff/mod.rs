//! Line-by-line differences between two texts.

use schemars::JsonSchema;
use serde::Serialize;

#[cfg(feature = "flow")]
mod lines;
#[cfg(feature = "flow")]
pub(crate) use lines::{contents, lines};

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// Whether it is in both.
    pub sign: DiffSign,
    /// The line.
    pub text: String,
}

piton_core::closed_set! {
    /// Whether a line is in both of two texts.
    pub enum DiffSign {
        /// In both.
        Same => "same",
        /// Only in the first.
        Removed => "removed",
        /// Only in the second.
        Added => "added",
        /// Lines that are in both are left out here.
        Gap => "gap",
    }
}
