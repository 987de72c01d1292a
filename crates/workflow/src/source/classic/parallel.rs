//! Steps that hand work to several other agents, and join the results.

use serde_json::Value;

use super::step::{confirmation, prompt};
use super::{Line, Name, Paragraph, strings};
use crate::bounds::DECLARATIONS_MAX;
use crate::compile::{Confirmation, ModelTier};
use crate::name::StepId;
use crate::predicate::Predicate;
use crate::source::Pointer;
use crate::source::problem::Problems;
use crate::source::read::{FromSource, ObjectReader};
use crate::source::task::ContractUse;

/// Work for several agents.
#[derive(Debug)]
pub(crate) struct Parallel {
    pub(crate) at: Pointer,
    pub(crate) id: StepId,
    pub(crate) title: String,
    pub(crate) delegations: Vec<Delegation>,
    pub(crate) synthesis: Option<Synthesis>,
    pub(crate) run_condition: Option<Predicate>,
    pub(crate) confirmation: Option<Confirmation>,
    pub(crate) notes_optional: bool,
    pub(crate) model_tier: Option<ModelTier>,
}

/// Work for one of them.
#[derive(Debug)]
pub(crate) struct Delegation {
    pub(crate) workflow_id: String,
    pub(crate) goal: Option<String>,
    pub(crate) run_condition: Option<Predicate>,
    /// The mapping from keys of the context to keys of the other run's context.
    pub(crate) context_mapping: Vec<(String, String)>,
    /// The arguments as JSON.
    pub(crate) args: Option<String>,
    pub(crate) model_tier: Option<ModelTier>,
    pub(crate) allowed_tools: Vec<String>,
}

/// The way in which the results are joined.
#[derive(Debug)]
pub(crate) struct Synthesis {
    pub(crate) at: Pointer,
    pub(crate) prompt: Option<String>,
    pub(crate) contract: Option<ContractUse>,
}

impl Parallel {
    pub(super) fn read(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<Self> {
        let id = object.required("id");
        let title = object.required::<Line>("title");
        let delegations = object.filled_list("parallelDelegations", DECLARATIONS_MAX);
        let synthesis = object.optional("synthesis");
        let run_condition = object.optional("runCondition");
        let confirmation = confirmation(object);
        let notes_optional = object.flag("notesOptional");
        let model_tier = object.optional("modelTier");
        Some(Self {
            at: at.clone(),
            id: id?,
            title: title?.into_string(),
            delegations,
            synthesis,
            run_condition,
            confirmation,
            notes_optional,
            model_tier,
        })
    }
}

impl FromSource for Delegation {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let workflow_id = object.required::<Name>("workflowId");
        let goal = object.optional::<Paragraph>("goal");
        let run_condition = object.optional("runCondition");
        let context_mapping = mapping(&mut object);
        let args = object.json_text("args");
        let model_tier = object.optional("modelTier");
        let tools = object.list::<Name>("allowedTools", DECLARATIONS_MAX);
        object.finish();
        Some(Self {
            workflow_id: workflow_id?.into_string(),
            goal: goal.map(Paragraph::into_string),
            run_condition,
            context_mapping,
            args,
            model_tier,
            allowed_tools: strings(tools),
        })
    }
}

fn mapping(object: &mut ObjectReader<'_, '_>) -> Vec<(String, String)> {
    let entries = object.entries("contextMapping", "an object of names").into_iter();
    let read = |(from, to, at): (&String, &Value, Pointer)| {
        Some((from.clone(), Name::read(to, &at, object.problems)?.into_string()))
    };
    entries.take(DECLARATIONS_MAX).filter_map(read).collect()
}

impl FromSource for Synthesis {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let prompt = prompt(&mut object);
        let contract = object.optional("outputContract");
        object.finish();
        Some(Self { at: at.clone(), prompt, contract })
    }
}
