//! A compiled step, ready to be shown to an agent, with everything that its author declares about it: also the
//! assessments that it asks for, and their consequences.

use piton_core::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::StepAccess;
use super::function::FunctionKey;
use super::prompt::CompiledBlocks;
use super::workflow::ModelTier;
use crate::capability::Capability;
use crate::contract::BuiltinContract;
use crate::contract::criteria::Criterion;
use crate::name::{AssessmentId, DimensionId, StepId};
use crate::predicate::Predicate;
use crate::reason::{NonAssumableChoice, UserOnlyDependency};
use crate::source::{ContractRef, FeatureId, TemplateId};

piton_core::closed_set! {
    /// Where a step came from.
    pub enum ProvenanceSource {
        /// Its author wrote it.
        Authored => "authored",
        /// A template that the author called brought it.
        TemplateInjected => "template_injected",
        /// A feature brought it.
        FeatureInjected => "feature_injected",
    }
}

/// A step, ready to be shown to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledStep {
    /// Its id.
    pub step_id: StepId,
    /// Its title.
    pub title: String,
    /// The role for this step, where it is another than the workflow's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_role: Option<String>,
    /// Whether a person is asked before it is done.
    pub require_confirmation: bool,
    /// Whether it may be left without notes.
    pub notes_optional: bool,
    /// Its prompt in sections, with every text filled in, if its author wrote sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_blocks: Option<CompiledBlocks>,
    /// The prompt as an agent reads it.
    pub prompt: String,
    /// The texts that features added to the prompt.
    pub additions: Vec<Addition>,
    /// The contract that its artifact keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_contract: Option<OutputContract>,
    /// The rules for its notes; none if there is a contract.
    pub validation_criteria: Vec<Criterion>,
    /// The functions that it refers to: those of the step, of its loops, of the workflow, each by name.
    pub functions: Vec<FunctionKey>,
    /// What it finds out about the agent, if that is its purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// Where it came from.
    pub provenance: StepProvenance,
    /// What only a person can supply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_user: Option<UserNeed>,
    /// What must hold for it to be done; without it, it always is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_condition: Option<Predicate>,
    /// Who is asked before it is done and when, where that is not simply a person and always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// What is added to the prompt where something holds, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<Fragment>,
    /// The assessments that must be submitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assessment_refs: Vec<AssessmentId>,
    /// What follows from certain levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consequences: Vec<Consequence>,
    /// How capable a model its author has in mind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_tier: Option<ModelTier>,
    /// What an agent may touch meanwhile; without it, what the configuration grants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<StepAccess>,
}

/// The contract of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputContract {
    /// The contract, which the workflow embeds.
    pub contract_ref: ContractRef,
    /// Whether there may be no artifact at all. One that is there keeps the contract.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// A text that a feature added to a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Addition {
    /// The feature.
    pub feature_id: FeatureId,
    /// The digest of the text.
    pub content_digest: Digest,
    /// Its size in bytes.
    pub bytes: usize,
}

/// A capability that a step tries out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Probe {
    /// The capability.
    pub capability: Capability,
    /// The template that the step was made from.
    pub template_id: TemplateId,
}

/// Where a step came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepProvenance {
    /// The kind of origin.
    pub source: ProvenanceSource,
    /// The template or feature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_id: Option<String>,
}

impl CompiledStep {
    /// True if it may ask a person something. Most steps never do.
    pub const fn may_ask(&self) -> bool {
        self.needs_user.is_some() || self.require_confirmation || self.confirmation.is_some()
    }

    /// True if it requires notes: a contract replaces them, and an author may waive them.
    pub const fn needs_notes(&self) -> bool {
        !self.notes_optional && self.output_contract.is_none()
    }

    /// True if it decides about a loop.
    pub fn is_decision(&self) -> bool {
        let contract = self.output_contract.as_ref();
        contract.is_some_and(|contract| BuiltinContract::LoopControl.is(&contract.contract_ref))
    }
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confirmation {
    /// Who, if the author said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ConfirmationKind>,
    /// What must hold for anybody to be asked; always without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Predicate>,
}

/// What only a person can supply, and what they are asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            "\n\n---\nA PERSON IS NEEDED ({reason}): {question}\nAsk them before you submit this step. Only they \
             can settle it; an answer that you assume does not count."
        )
    }
}

/// A rating along dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assessment {
    /// Its id.
    pub id: AssessmentId,
    /// What it is for.
    pub purpose: String,
    /// What is rated, in the author's order.
    pub dimensions: Vec<Dimension>,
}

/// One thing that is rated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dimension {
    /// Its id.
    pub id: DimensionId,
    /// What it says.
    pub purpose: String,
    /// The levels, in the author's order.
    pub levels: Vec<String>,
    /// Whether it must be rated.
    pub required: bool,
}

/// What follows when a dimension is at a level: the step is not left before its guidance was followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Consequence {
    /// The level.
    pub any_equals_level: String,
    /// The assessment; any of the step's if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_assessment: Option<AssessmentId>,
    /// What to do then, in the author's words.
    pub guidance: String,
}

impl Dimension {
    /// Returns the level that `given` means: the one of exactly that name or, failing that, the one that
    /// differs from it only in case and outer spaces.
    pub fn level(&self, given: &str) -> Option<&str> {
        let exact = self.levels.iter().find(|level| *level == given);
        let plain = given.trim().to_lowercase();
        let close = || self.levels.iter().find(|level| level.trim().to_lowercase() == plain);
        exact.or_else(close).map(String::as_str)
    }
}
