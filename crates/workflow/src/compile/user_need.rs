//! The input of a step that only a person can supply.

use serde::{Deserialize, Serialize};

use crate::reason::{NonAssumableChoice, UserOnlyDependency};

/// What only a person can supply, and what they are asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserNeed {
    /// What.
    pub reason: UserOnlyDependency,
    /// Why no agent may make the choice by assumption; there for choices, and for nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<NonAssumableChoice>,
    /// What the person is asked.
    pub question: String,
}

impl UserNeed {
    /// Returns the section of a prompt that states the need.
    pub(super) fn section(&self) -> String {
        let Self { reason, question, .. } = self;
        format!(
            "\n\n---\nA PERSON IS NEEDED ({reason}): {question}\nAsk them before you hand in this step. Only they \
             can settle it; an answer that you assume does not count."
        )
    }
}
