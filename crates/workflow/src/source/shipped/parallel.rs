//! Steps that hand work to several other agents, and join the results.

use serde_json::Value;

use super::confirmation::ShippedConfirmation;
use super::step::Contract;
use super::{Line, Name, Paragraph, Passage, strings};
use crate::bounds::{DECLARATIONS_MAX, PROMPT_BYTES_MAX};
use crate::compile::{Confirmation, ModelTier};
use crate::name::StepId;
use crate::predicate::Predicate;
use crate::source::Pointer;
use crate::source::problem::Problems;
use crate::source::read::{FromSource, ObjectReader, wrong_type};

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
    pub(crate) contract: Option<Contract>,
}

impl Parallel {
    pub(super) fn read(
        object: &mut ObjectReader<'_>,
        at: &Pointer,
        problems: &mut Problems,
    ) -> Option<Self> {
        let id = object.required("id", problems);
        let title = object.required::<Line>("title", problems);
        let delegations = object.filled_list("parallelDelegations", DECLARATIONS_MAX, problems);
        let synthesis = object.optional("synthesis", problems);
        let run_condition = object.optional("runCondition", problems);
        let confirmation = object.optional::<ShippedConfirmation>("requireConfirmation", problems);
        let notes_optional = object.optional("notesOptional", problems);
        let model_tier = object.optional("modelTier", problems);
        Some(Self {
            at: at.clone(),
            id: id?,
            title: title?.into_string(),
            delegations,
            synthesis,
            run_condition,
            confirmation: confirmation.and_then(|asked| asked.0),
            notes_optional: notes_optional.unwrap_or(false),
            model_tier,
        })
    }
}

impl FromSource for Delegation {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let workflow_id = object.required::<Name>("workflowId", problems);
        let goal = object.optional::<Paragraph>("goal", problems);
        let run_condition = object.optional("runCondition", problems);
        let context_mapping = mapping(&mut object, problems);
        let args = object.raw("args").map(|args| Value::String(args.to_string()));
        let args = args.and_then(|args| Passage::read(&args, &object.at("args"), problems));
        let model_tier = object.optional("modelTier", problems);
        let tools = object.list::<Name>("allowedTools", DECLARATIONS_MAX, problems);
        object.finish(problems);
        Some(Self {
            workflow_id: workflow_id?.into_string(),
            goal: goal.map(Paragraph::into_string),
            run_condition,
            context_mapping,
            args: args.map(Passage::into_string),
            model_tier,
            allowed_tools: strings(tools),
        })
    }
}

fn mapping(object: &mut ObjectReader<'_>, problems: &mut Problems) -> Vec<(String, String)> {
    let at = object.at("contextMapping");
    match object.raw("contextMapping") {
        None => Vec::new(),
        Some(Value::Object(entries)) => {
            let read = |(from, to): (&String, &Value)| {
                let to = Name::read(to, &at.field(from), problems)?;
                Some((from.clone(), to.into_string()))
            };
            entries.iter().take(DECLARATIONS_MAX).filter_map(read).collect()
        }
        Some(other) => {
            wrong_type(other, &at, "an object of names", problems);
            Vec::new()
        }
    }
}

impl FromSource for Synthesis {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let prompt =
            object.optional::<piton_core::BoundedText<PROMPT_BYTES_MAX>>("prompt", problems);
        let contract = object.optional("outputContract", problems);
        object.finish(problems);
        let prompt = prompt.map(piton_core::BoundedText::into_string);
        Some(Self { at: at.clone(), prompt, contract })
    }
}
