//! Warns if a run has more freedom than the author of its workflow recommends.
//!
//! *Invariants*: a recommendation warns and never refuses. The sets of preferences are declared from the most
//! careful to the boldest, and that order is what is compared.

use serde::{Deserialize, Serialize};

use super::workflow::CompiledWorkflow;
use crate::event::{Autonomy, RiskPolicy};

/// A preference that goes beyond what the author recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PreferenceWarning {
    /// The run waits for a person less often.
    Autonomy {
        /// What the author recommends at most.
        recommended: Autonomy,
        /// What the run does.
        effective: Autonomy,
    },
    /// The run takes bolder ways.
    RiskPolicy {
        /// What the author recommends at most.
        recommended: RiskPolicy,
        /// What the run does.
        effective: RiskPolicy,
    },
}

impl CompiledWorkflow {
    /// Returns the preferences that go beyond the recommendations.
    pub fn preference_warnings(
        &self,
        autonomy: Autonomy,
        risk_policy: RiskPolicy,
    ) -> Vec<PreferenceWarning> {
        let beyond = self.recommended_autonomy.filter(|recommended| autonomy > *recommended);
        let autonomy = beyond
            .map(|recommended| PreferenceWarning::Autonomy { recommended, effective: autonomy });
        let beyond = self.recommended_risk_policy.filter(|recommended| risk_policy > *recommended);
        let risk_policy = beyond.map(|recommended| PreferenceWarning::RiskPolicy {
            recommended,
            effective: risk_policy,
        });
        autonomy.into_iter().chain(risk_policy).collect()
    }
}

impl std::fmt::Display for PreferenceWarning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (what, effective, recommended) = match self {
            Self::Autonomy { recommended, effective } => {
                ("autonomy", effective.as_str(), recommended.as_str())
            }
            Self::RiskPolicy { recommended, effective } => {
                ("risk policy", effective.as_str(), recommended.as_str())
            }
        };
        write!(formatter, "the {what} is {effective}; the author recommends at most {recommended}")
    }
}
