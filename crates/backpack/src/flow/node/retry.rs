//! The retry rule of a node.

use serde::{Deserialize, Serialize};

use crate::flow::bounds::{ATTEMPTS_MAX, WAIT_MS_MAX};

/// Number of attempts, and the wait in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryRule {
    /// Total number of attempts, at least one.
    pub attempts: u32,
    /// Wait before each further attempt, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wait_ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

impl RetryRule {
    /// A single attempt.
    pub const ONCE: Self = Self { attempts: 1, wait_ms: 0 };

    /// Returns the problem with the rule, if there is one, with the name of the field.
    pub(crate) fn problem(self) -> Option<(&'static str, String)> {
        if self.attempts == 0 || self.attempts > ATTEMPTS_MAX {
            return Some((
                "attempts",
                format!("{} is not between 1 and {ATTEMPTS_MAX}", self.attempts),
            ));
        }
        (self.wait_ms > WAIT_MS_MAX)
            .then(|| ("waitMs", format!("{} is more than {WAIT_MS_MAX}", self.wait_ms)))
    }
}

impl Default for RetryRule {
    fn default() -> Self {
        Self::ONCE
    }
}
