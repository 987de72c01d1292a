//! `divergence_recorded`: the agent left the path of the workflow on purpose. Nothing depends on it.

use piton_core::{BoundedText, DivergenceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::PayloadError;
use super::strict_json::present;
use crate::bounds::SUMMARY_BYTES_MAX;
use crate::name::StepId;

piton_core::closed_set! {
    /// Why an agent left the way of its workflow on purpose.
    pub enum DivergenceReason {
        /// The person did not say something that the step needs.
        MissingUserContext => "missing_user_context",
        /// The agent lacks a capability that the step counts on.
        CapabilityUnavailable => "capability_unavailable",
        /// The step would have been wasted effort.
        EfficiencySkip => "efficiency_skip",
        /// Going on would have been dangerous.
        SafetyStop => "safety_stop",
        /// A policy forbids the step.
        PolicyConstraint => "policy_constraint",
    }
}

/// The agent left the way of the workflow on purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DivergenceRecorded {
    /// The divergence.
    pub divergence_id: DivergenceId,
    /// Why.
    pub reason: DivergenceReason,
    /// What the agent did instead.
    pub summary: NonEmptySummary,
    /// The step that it concerns.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub related_step_id: Option<StepId>,
}

/// A summary of 1 to 512 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("minLength" = 1, "maxLength" = SUMMARY_BYTES_MAX))]
#[serde(try_from = "String")]
pub struct NonEmptySummary(BoundedText<SUMMARY_BYTES_MAX>);

impl NonEmptySummary {
    /// Creates a summary, unless the text is empty or too long.
    pub fn new(text: impl Into<String>) -> Result<Self, PayloadError> {
        let text = BoundedText::new(text)?;
        if text.as_str().is_empty() {
            return Err(PayloadError::EmptySummary);
        }
        Ok(Self(text))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl TryFrom<String> for NonEmptySummary {
    type Error = PayloadError;

    fn try_from(text: String) -> Result<Self, PayloadError> {
        Self::new(text)
    }
}
