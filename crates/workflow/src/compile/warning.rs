//! Warnings for the author of a workflow that compiles, and for a run with more freedom than the author
//! recommends.
//!
//! *Invariants*: a recommendation warns and never refuses. The sets of preferences are declared from the most
//! careful to the boldest, and that order is what is compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::workflow::CompiledWorkflow;
use crate::event::{Autonomy, RiskPolicy};

piton_core::closed_set! {
    /// What a warning is about.
    pub enum WarningCode {
        /// The id has no namespace. Subject: the id in the file.
        LegacyWorkflowId => "legacy_workflow_id",
        /// A step has a contract and criteria; the criteria do not count. Subject: the step.
        CriteriaIgnored => "criteria_ignored",
        /// A step has criteria where a contract would be stronger. Subject: the step.
        ContractPreferred => "contract_preferred",
        /// Criteria are one flag that says that something is complete. Subject: the step.
        CompletionFlag => "completion_flag",
        /// Criteria ask for a word that any text about the work holds. Subject: the step.
        BarePhrase => "bare_phrase",
        /// One short text meets the criteria. Subject: the step.
        TriviallyMet => "trivially_met",
        /// No loop uses a condition. Subject: the condition.
        UnusedCondition => "unused_condition",
        /// No step refers to a function. Subject: the function.
        UnusedFunction => "unused_function",
        /// A loop turns by what the run was told. Subject: the loop.
        ContextLoop => "context_loop",
        /// A field is there and means nothing. Subject: the field.
        NoEffect => "no_effect",
        /// A prompt delegates and does not say to start subagents, rather than workflows, or what to do where a client
        /// has none. Subject: the step.
        DelegationWithoutTasks => "delegation_without_tasks",
        /// A prompt delegates and does not ask for all tasks in parallel. Subject: the step.
        DelegationNotParallel => "delegation_not_parallel",
        /// A prompt delegates and does not forbid to start a workflow for it. Subject: the step.
        DelegationByWorkflow => "delegation_by_workflow",
        /// A prompt delegates and does not forbid to start subagents in sequence. Subject: the step.
        DelegationInSequence => "delegation_in_sequence",
        /// A prompt delegates and does not say for each subagent who it is and what it gets. Subject: the step.
        DelegationIncomplete => "delegation_incomplete",
    }
}

/// Something that the author of a workflow should know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledWarning {
    /// What it is about.
    pub code: WarningCode,
    /// What it is about in this workflow.
    pub subject: String,
}

impl WarningCode {
    /// Returns an explanation, with the remedy.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::LegacyWorkflowId => {
                "the id has no namespace; write the id that the workflow goes by"
            }
            Self::CriteriaIgnored => {
                "the step has an output contract, so its validation criteria do not count; remove them"
            }
            Self::ContractPreferred => {
                "criteria check words only; an output contract checks the result itself"
            }
            Self::CompletionFlag => {
                "a flag is written without doing the work; ask for what the work leaves behind"
            }
            Self::BarePhrase => {
                "such a word stands in any text; ask for something that only the work brings forth"
            }
            Self::TriviallyMet => {
                "one short text is enough; add a pattern, a length or a second check"
            }
            Self::UnusedCondition => "no loop uses the condition; remove it",
            Self::UnusedFunction => "no step refers to the function; remove it",
            Self::ContextLoop => {
                "the loop turns by what the agent says in passing; a step with the contract \
                 `wr.contracts.loop_control` makes it a decision that is checked"
            }
            Self::NoEffect => "the field is accepted and changes nothing; remove it",
            Self::DelegationWithoutTasks => {
                "say that subagents do the work, not workflows, and that the agent does it itself where its client \
                 has no subagents; the template `wr.templates.delegation` does"
            }
            Self::DelegationNotParallel => {
                "ask for all tasks in parallel, in one message; subagents that wait for each other save no time"
            }
            Self::DelegationByWorkflow => {
                "say not to delegate with `start_workflow`; a workflow is not a subagent"
            }
            Self::DelegationInSequence => "say not to start the subagents sequentially",
            Self::DelegationIncomplete => {
                "give each subagent a name (`Subagent 1: …`) and lines `Description:` and `Prompt:`"
            }
        }
    }
}

/// A preference that goes beyond what the author recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
