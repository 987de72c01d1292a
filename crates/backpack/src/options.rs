//! Options of a backpack, chosen when it is created.

use std::sync::Arc;

use piton_core::{Clock, Entropy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::{
    HISTORY_BYTES, HISTORY_COMMITS, HISTORY_COMMITS_MIN, LARGE_VALUE_BYTES, LARGE_VALUE_BYTES_MAX,
};

/// What the maker of a backpack decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Options {
    /// Commits that stay in memory.
    pub max_history: usize,
    /// Bytes of history that stay in memory.
    pub history_bytes: usize,
    /// Bytes above which a value does not become part of the history itself.
    pub max_value_size: usize,
    /// Whether a violation of permissions is an error. If not, reads give nothing and writes are refused, and both
    /// are recorded.
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_history: HISTORY_COMMITS,
            history_bytes: HISTORY_BYTES,
            max_value_size: LARGE_VALUE_BYTES,
            strict: true,
        }
    }
}

impl Options {
    /// Returns the options, adjusted to the possible range.
    pub(crate) fn clamped(self) -> Self {
        Self {
            // Pruning keeps four fifths of the history, and that must never be less than the minimum.
            max_history: self.max_history.max(HISTORY_COMMITS_MIN / 4 * 5),
            max_value_size: self.max_value_size.min(LARGE_VALUE_BYTES_MAX),
            ..self
        }
    }
}

/// The effects that a backpack needs.
#[derive(Clone)]
pub struct BackpackPorts {
    /// The source of commit times.
    pub clock: Arc<dyn Clock>,
    /// The source of ids.
    pub entropy: Arc<dyn Entropy>,
}
