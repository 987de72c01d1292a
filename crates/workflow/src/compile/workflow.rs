//! A compiled workflow: everything that a run needs, as plain data.
//!
//! *Invariants*: it refers to nothing outside itself. Texts, contracts and expanded steps are embedded, so a
//! run that is pinned to it continues in the same way when the file, the catalogue or Piton change. Anything
//! without an order of its own is sorted by bytes. It holds no time, no id of a run and nothing about the
//! machine.

use std::collections::BTreeMap;

use piton_core::canonical::encode;
use piton_core::{CanonicalBytes, Digest, WorkflowHash, WorkflowId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::access::StepAccess;
use super::assessment::{Assessment, Consequence};
use super::confirmation::Confirmation;
use super::fragment::Fragment;
use super::function::{FunctionDefinition, FunctionKey};
use super::metadata::{Metadata, ModelTier};
use super::prompt::CompiledBlocks;
use super::sequence::{CompiledCondition, CompiledLoop, SequenceEntry};
use super::user_need::UserNeed;
use super::warning::CompiledWarning;
use crate::capability::Capability;
use crate::contract::criteria::Criterion;
use crate::contract::{BuiltinContract, ContractDefinition};
use crate::event::{Autonomy, RiskPolicy};
use crate::name::{AssessmentId, StepId};
use crate::predicate::Predicate;
use crate::source::{ContractRef, Dialect, FeatureId, TemplateId};

/// The version of [`CompiledWorkflow`].
pub const SCHEMA_VERSION: u32 = 1;

piton_core::closed_set! {
    /// How much a workflow needs a capability.
    pub enum CapabilityNeed {
        /// A run does not go on without it.
        Required => "required",
        /// A run goes on without it, less well.
        Preferred => "preferred",
        /// A run does not use it.
        Disabled => "disabled",
    }
}

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

/// A workflow that runs can be pinned to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledWorkflow {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The dialect of the file.
    pub dialect: Dialect,
    /// The workflow's id.
    pub workflow_id: WorkflowId,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The role of an agent that runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_role: Option<String>,
    /// The most autonomy that its author recommends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended_autonomy: Option<Autonomy>,
    /// The boldest policy that its author recommends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended_risk_policy: Option<RiskPolicy>,
    /// What it needs an agent to be able to do.
    pub capabilities: BTreeMap<Capability, CapabilityNeed>,
    /// The features that were applied, by id.
    pub features: Vec<CompiledFeature>,
    /// The contracts that its steps use, by reference.
    pub contracts: Vec<ContractDefinition>,
    /// Every step in the order of the file, those inside of loops included.
    pub steps: Vec<CompiledStep>,
    /// What a run does from its start to its end.
    pub sequence: Vec<SequenceEntry>,
    /// The conditions, by id.
    pub conditions: Vec<CompiledCondition>,
    /// The loops, by id.
    pub loops: Vec<CompiledLoop>,
    /// The function definitions, by scope and name.
    pub functions: Vec<FunctionDefinition>,
    /// What its author should know, by code and subject.
    pub compiled_warnings: Vec<CompiledWarning>,
    /// What people read about it beside its description.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What stands before the prompt of the first step that a run comes to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub opening: String,
    /// The assessments that its steps ask for, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assessments: Vec<Assessment>,
}

/// A feature and how it was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledFeature {
    /// The feature.
    pub feature_id: FeatureId,
    /// Every setting, those included that the author left at their default.
    pub config: BTreeMap<String, Setting>,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Setting {
    /// A number.
    Number(u32),
    /// A name.
    Name(String),
}

/// A step, ready to be shown to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The assessments that must be handed in.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputContract {
    /// The contract, which the workflow embeds.
    pub contract_ref: ContractRef,
    /// Whether there may be no artifact at all. One that is there keeps the contract.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// A text that a feature added to a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Probe {
    /// The capability.
    pub capability: Capability,
    /// The template that the step was made from.
    pub template_id: TemplateId,
}

/// Where a step came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepProvenance {
    /// The kind of origin.
    pub source: ProvenanceSource,
    /// The template or feature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_id: Option<String>,
}

/// Reason that bytes are not a compiled workflow of this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompiledWorkflowError {
    #[error("compiled workflow of version {found}; this version of Piton reads {SCHEMA_VERSION}")]
    UnsupportedVersion {
        /// The version, as JSON.
        found: String,
    },
    /// The bytes are a compiled workflow, but not in canonical JSON.
    #[error("not the canonical JSON of a compiled workflow")]
    NotCanonical,
    /// The bytes are a compiled workflow that contradicts itself.
    #[error("the compiled workflow does not hold together: {reason}")]
    Unsound { reason: String },
    /// The bytes do not have the form of a compiled workflow.
    #[error("not a compiled workflow: {reason}")]
    Malformed { reason: String },
}

impl CompiledStep {
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

impl CompiledWorkflow {
    /// Returns the workflow as canonical JSON.
    pub fn canonical(&self) -> CanonicalBytes {
        encode(self).expect("its numbers are small and its keys are texts that differ")
    }

    /// Returns the digest that runs are pinned to: over the whole compiled workflow, and over nothing else.
    pub fn workflow_hash(&self) -> WorkflowHash {
        WorkflowHash::new(Digest::of(&self.canonical()))
    }

    /// Reads what [`canonical`](Self::canonical) wrote, so that the digest of `bytes` is the workflow hash.
    /// Another version is refused, never guessed at.
    pub fn read(bytes: &[u8]) -> Result<Self, CompiledWorkflowError> {
        let malformed = |error: serde_json::Error| CompiledWorkflowError::Malformed {
            reason: error.to_string(),
        };
        let value: Value = serde_json::from_slice(bytes).map_err(malformed)?;
        // The version is checked before the fields, since another version may have other fields.
        match value.get("schemaVersion") {
            Some(found) if *found != SCHEMA_VERSION => {
                Err(CompiledWorkflowError::UnsupportedVersion { found: found.to_string() })
            }
            _ => {
                let workflow: Self = serde_json::from_value(value).map_err(malformed)?;
                // Only the canonical bytes have the right digest, so any other spelling would be pinned under
                // a wrong hash.
                if workflow.canonical().as_bytes() != bytes {
                    return Err(CompiledWorkflowError::NotCanonical);
                }
                // The bytes may come from anyone, so names are checked before an engine relies on them.
                workflow.check()?;
                Ok(workflow)
            }
        }
    }

    /// Returns the step with this id.
    pub fn step(&self, id: &StepId) -> Option<&CompiledStep> {
        self.steps.iter().find(|step| step.step_id == *id)
    }

    /// True if any step narrows what an agent may touch.
    pub fn narrows(&self) -> bool {
        self.steps.iter().any(|step| step.access.is_some())
    }

    /// Returns the assessment with this id.
    pub fn assessment(&self, id: &AssessmentId) -> Option<&Assessment> {
        self.assessments.iter().find(|assessment| assessment.id == *id)
    }

    /// Returns the contract that the workflow embeds under this name.
    pub fn contract(&self, contract_ref: &ContractRef) -> Option<&ContractDefinition> {
        self.contracts.iter().find(|contract| contract.contract_ref == *contract_ref)
    }

    /// Returns the definitions of the functions that `step` refers to, in display order.
    pub fn functions_of(&self, step: &CompiledStep) -> Vec<&FunctionDefinition> {
        let definition =
            |key: &FunctionKey| self.functions.iter().find(|function| function.key == *key);
        step.functions.iter().filter_map(definition).collect()
    }
}
