//! A compiled workflow: everything that a run needs, as plain data.
//!
//! *Invariants*: it refers to nothing outside itself. Texts, contracts and expanded steps are embedded, so a
//! run that is pinned to it continues in the same way when the file, the catalogue or Piton change. Anything
//! without an order of its own is sorted by bytes. It holds no time, no id of a run and nothing about the
//! machine.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::canonical::encode;
use piton_core::{CanonicalBytes, Digest, WorkflowHash, WorkflowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::function::{FunctionDefinition, FunctionKey};
use super::sequence::{CompiledCondition, CompiledLoop, SequenceEntry};
use super::step::{Assessment, CompiledStep};
use super::warning::CompiledWarning;
use crate::bounds::LOOP_DEPTH_MAX;
use crate::capability::Capability;
use crate::contract::ContractDefinition;
use crate::event::{Autonomy, RiskPolicy};
use crate::name::{AssessmentId, LoopId, StepId, Tag};
use crate::source::{ContractRef, Dialect, FeatureId};

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

/// A workflow that runs can be pinned to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledFeature {
    /// The feature.
    pub feature_id: FeatureId,
    /// Every setting, those included that the author left at their default.
    pub config: BTreeMap<String, Setting>,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Setting {
    /// A number.
    Number(u32),
    /// A name.
    Name(String),
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

    /// Returns the loop with this id.
    pub fn find_loop(&self, id: &LoopId) -> Option<&CompiledLoop> {
        self.loops.iter().find(|looped| looped.loop_id == *id)
    }

    /// Returns the condition that a loop evaluates before each turn.
    pub fn condition_of(&self, looped: &CompiledLoop) -> Option<&CompiledCondition> {
        let is_its_own =
            |condition: &&CompiledCondition| *condition.condition_id() == looped.condition_id;
        self.conditions.iter().find(is_its_own)
    }

    /// Returns the contract of a step.
    pub fn contract_of(&self, step: &CompiledStep) -> Option<&ContractDefinition> {
        let contract_ref = &step.output_contract.as_ref()?.contract_ref;
        Some(self.contract(contract_ref).expect("a sound workflow embeds its contracts"))
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

piton_core::closed_set! {
    /// How capable a model an author has in mind.
    pub enum ModelTier {
        /// A small and fast one.
        Lightweight => "lightweight",
        /// One in between.
        Mid => "mid",
        /// The most capable one.
        Heavy => "heavy",
    }
}

/// What people read about a workflow beside its name and description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    /// What kinds of work it is for.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<Tag>,
    /// The version that its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it is about, at length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What it was made for, by example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// How capable a model its author has in mind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_tier: Option<ModelTier>,
}

impl Metadata {
    /// True if there is no information at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl CompiledWorkflow {
    /// Refuses a workflow with a dangling name, or with a step at two places.
    pub(super) fn check(&self) -> Result<(), CompiledWorkflowError> {
        let mut walk = LoopCheck { workflow: self, steps: BTreeSet::new(), loops: BTreeSet::new() };
        walk.entries(&self.sequence, 0)?;
        // The walk found every entry exactly once. Equal counts therefore mean that nothing is unreachable
        // and no id is repeated.
        ensure(walk.loops.len() == self.loops.len(), || {
            "a loop has no place or no id of its own".into()
        })?;
        ensure(walk.steps.len() == self.steps.len(), || {
            "a step has no place or no id of its own".into()
        })?;
        for step in &self.steps {
            if let Some(contract) = &step.output_contract {
                let name = &contract.contract_ref;
                ensure(self.contract(name).is_some(), || {
                    format!("the contract `{name}` is missing")
                })?;
            }
            for id in &step.assessment_refs {
                ensure(self.assessment(id).is_some(), || {
                    format!("the assessment `{id}` is missing")
                })?;
            }
            let found = self.functions_of(step).len();
            ensure(found == step.functions.len(), || {
                format!("a function of the step `{}` is missing", step.step_id)
            })?;
        }
        Ok(())
    }
}

struct LoopCheck<'a> {
    workflow: &'a CompiledWorkflow,
    steps: BTreeSet<&'a str>,
    loops: BTreeSet<&'a str>,
}

impl<'a> LoopCheck<'a> {
    fn entries(
        &mut self,
        entries: &'a [SequenceEntry],
        depth: usize,
    ) -> Result<(), CompiledWorkflowError> {
        for entry in entries {
            match entry {
                SequenceEntry::Step { step_id } => {
                    let known = self.workflow.step(step_id).is_some();
                    ensure(known, || format!("the step `{step_id}` is missing"))?;
                    let first = self.steps.insert(step_id.as_str());
                    ensure(first, || format!("the step `{step_id}` stands at two places"))?;
                }
                SequenceEntry::Loop { loop_id } => {
                    let Some(looped) = self.workflow.find_loop(loop_id) else {
                        return Err(unsound(format!("the loop `{loop_id}` is missing")));
                    };
                    // Each loop is entered once. This also ends the walk if a loop contains itself.
                    let first = self.loops.insert(loop_id.as_str());
                    ensure(first, || format!("the loop `{loop_id}` stands at two places"))?;
                    // The depth bounds the recursion here and the loop stack of every run.
                    ensure(depth < LOOP_DEPTH_MAX, || {
                        "loops lie too deeply inside each other".into()
                    })?;
                    let is_its_own = |condition: &CompiledCondition| match condition {
                        // A condition about another loop would let that loop's decision drive this one.
                        CompiledCondition::LoopControl { loop_id, .. } => {
                            *condition.condition_id() == looped.condition_id
                                && *loop_id == looped.loop_id
                        }
                        other => *other.condition_id() == looped.condition_id,
                    };
                    let known = self.workflow.conditions.iter().any(is_its_own);
                    ensure(known, || format!("the condition of the loop `{loop_id}` is missing"))?;
                    self.entries(&looped.body, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Result<(), CompiledWorkflowError> {
    if holds { Ok(()) } else { Err(unsound(reason())) }
}

fn unsound(reason: String) -> CompiledWorkflowError {
    CompiledWorkflowError::Unsound { reason }
}
