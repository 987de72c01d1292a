//! Confirmation before a step: who is asked, and when.

use serde::{Deserialize, Serialize};

use crate::predicate::Predicate;

piton_core::closed_set! {
    /// Who is asked.
    pub enum ConfirmationKind {
        /// Whoever coordinates the run.
        CoordinatorEval => "coordinator_eval",
        /// A person.
        HumanApproval => "human_approval",
    }
}

/// Who is asked before a step is done, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confirmation {
    /// Who, if the author said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ConfirmationKind>,
    /// What must hold for anybody to be asked; always without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Predicate>,
}
