//! How often the work of a node is tried.

use serde::{Deserialize, Serialize};

use crate::bounds::{ATTEMPTS_MAX, WAIT_MS_MAX};

/// How often, and how long in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryRule {
    /// How often in all, at least once.
    pub attempts: u32,
    /// How long to wait before each further attempt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wait_ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

impl RetryRule {
    /// Once.
    pub const ONCE: Self = Self { attempts: 1, wait_ms: 0 };

    /// What is wrong with it, if anything, with the field's name.
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
