//! Parts of a prompt that are shown under a condition.

use serde::{Deserialize, Serialize};

use crate::predicate::Predicate;

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fragment {
    /// Its id.
    pub id: String,
    /// What must hold for it to be shown; it always is without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Predicate>,
    /// The text.
    pub text: String,
}
