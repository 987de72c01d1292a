//! A step that an agent does, as both dialects are read. A dialect leaves empty what it does not have.

use serde_json::{Map, Value};

use super::builtin_id::{ContractRef, RoutineId};
use super::function::{Function, FunctionCall, FunctionReference};
use super::problem::Pointer;
use super::prompt::Prompt;
use crate::compile::{Confirmation, Consequence, Fragment, ModelTier, Probe, StepAccess, UserNeed};
use crate::contract::criteria::Criterion;
use crate::name::{AssessmentId, StepId};
use crate::predicate::Predicate;

/// A step that an agent does.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) at: Pointer,
    pub(crate) id: StepId,
    pub(crate) title: String,
    pub(crate) content: TaskContent,
    pub(crate) agent_role: Option<String>,
    pub(crate) model_tier: Option<ModelTier>,
    pub(crate) guidance: Vec<String>,
    pub(crate) ask_for_files: bool,
    /// Set when the author set a flag that has no meaning.
    pub(crate) has_validation: bool,
    pub(crate) confirmation: Option<Confirmation>,
    pub(crate) run_condition: Option<Predicate>,
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) contract: Option<ContractUse>,
    pub(crate) assessment_refs: Vec<AssessmentId>,
    pub(crate) consequences: Vec<Consequence>,
    pub(crate) notes_optional: bool,
    pub(crate) functions: Vec<Function>,
    pub(crate) function_calls: Vec<FunctionCall>,
    pub(crate) function_references: Vec<FunctionReference>,
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) needs_user: Option<UserNeed>,
    pub(crate) access: Option<StepAccess>,
    pub(crate) audit: Option<Audit>,
    pub(crate) verification: Option<Verification>,
    /// The capability that a step of Piton's own tries out.
    pub(crate) probe: Option<Probe>,
}

/// The instructions of a step for an agent.
#[derive(Clone, Debug)]
pub(crate) enum TaskContent {
    Prompt(Prompt),
    /// The steps of a routine.
    Call(RoutineCall),
}

/// A place that the steps of a routine replace.
#[derive(Clone, Debug)]
pub(crate) struct RoutineCall {
    pub(crate) at: Pointer,
    pub(crate) routine: RoutineId,
    pub(crate) args: Map<String, Value>,
}

/// The contract of a step.
#[derive(Clone, Debug)]
pub(crate) struct ContractUse {
    pub(crate) at: Pointer,
    pub(crate) reference: ContractRef,
    pub(crate) required: bool,
}

/// A second look at the result of a step.
#[derive(Clone, Debug)]
pub(crate) struct Audit {
    pub(crate) prompt: Option<String>,
    pub(crate) rubric: Vec<String>,
}

/// A check of the result of a step.
#[derive(Clone, Debug)]
pub(crate) struct Verification {
    pub(crate) command: Option<String>,
    pub(crate) prompt: Option<String>,
}

impl Task {
    /// Creates a step with nothing but its prompt.
    pub(crate) fn new(at: Pointer, id: StepId, title: String, prompt: Prompt) -> Self {
        Self {
            at,
            id,
            title,
            content: TaskContent::Prompt(prompt),
            agent_role: None,
            model_tier: None,
            guidance: Vec::new(),
            ask_for_files: false,
            has_validation: false,
            confirmation: None,
            run_condition: None,
            criteria: Vec::new(),
            contract: None,
            assessment_refs: Vec::new(),
            consequences: Vec::new(),
            notes_optional: false,
            functions: Vec::new(),
            function_calls: Vec::new(),
            function_references: Vec::new(),
            fragments: Vec::new(),
            needs_user: None,
            access: None,
            audit: None,
            verification: None,
            probe: None,
        }
    }
}
