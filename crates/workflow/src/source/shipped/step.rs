//! Steps that an agent does, and calls of routines.

use piton_core::BoundedText;
use serde_json::{Map, Value};

use super::confirmation::ShippedConfirmation;
use super::function::{self, FunctionCall};
use super::loops::Loop;
use super::parallel::Parallel;
use super::{Line, Name, Paragraph, Passage, criteria, strings};
use crate::bounds::{BLOCK_ITEMS_MAX, DECLARATIONS_MAX, PROMPT_BYTES_MAX};
use crate::compile::{Confirmation, Consequence, Fragment, ModelTier, StepAccess};
use crate::contract::criteria::Criterion;
use crate::name::{AssessmentId, StepId};
use crate::predicate::Predicate;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, text, wrong_type};
use crate::source::strict::{Function, FunctionReference, Prompt, Variables};
use crate::source::{ContractRef, Pointer, RoutineId};

/// A step, as its author wrote it.
#[derive(Debug)]
pub(crate) enum ShippedStep {
    Task(Box<ShippedTask>),
    Loop(Box<Loop>),
    Parallel(Box<Parallel>),
}

/// A step that an agent does.
#[derive(Clone, Debug)]
pub(crate) struct ShippedTask {
    pub(crate) at: Pointer,
    pub(crate) id: StepId,
    pub(crate) title: String,
    pub(crate) content: ShippedContent,
    pub(crate) agent_role: Option<String>,
    pub(crate) model_tier: Option<ModelTier>,
    pub(crate) guidance: Vec<String>,
    pub(crate) ask_for_files: bool,
    /// Set when the author set a flag that has no meaning.
    pub(crate) has_validation: bool,
    pub(crate) confirmation: Option<Confirmation>,
    pub(crate) run_condition: Option<Predicate>,
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) contract: Option<Contract>,
    pub(crate) assessment_refs: Vec<AssessmentId>,
    pub(crate) consequences: Vec<Consequence>,
    pub(crate) notes_optional: bool,
    pub(crate) functions: Vec<Function>,
    pub(crate) function_calls: Vec<FunctionCall>,
    pub(crate) function_references: Vec<FunctionReference>,
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) access: Option<StepAccess>,
    pub(crate) audit: Option<Audit>,
    pub(crate) verification: Option<Verification>,
}

/// The instructions of a step for an agent.
#[derive(Clone, Debug)]
pub(crate) enum ShippedContent {
    Prompt(Prompt),
    /// The steps of a routine.
    Call(TemplateCall),
}

/// A place that the steps of a routine replace.
#[derive(Clone, Debug)]
pub(crate) struct TemplateCall {
    pub(crate) at: Pointer,
    pub(crate) routine: RoutineId,
    pub(crate) args: Map<String, Value>,
}

/// The contract of a step.
#[derive(Clone, Debug)]
pub(crate) struct Contract {
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

impl FromSource for ShippedStep {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let kind = match object.raw("type") {
            None => None,
            Some(kind) => Some(text(kind, &object.at("type"), problems)?),
        };
        let step = match kind {
            None => ShippedTask::read(&mut object, at, problems).map(Box::new).map(Self::Task),
            Some("loop") => Loop::read(&mut object, at, problems).map(Box::new).map(Self::Loop),
            Some("parallel") => {
                Parallel::read(&mut object, at, problems).map(Box::new).map(Self::Parallel)
            }
            Some(other) => {
                let fix = "use `loop` or `parallel`, or leave `type` out";
                problems.report_step_type(&object.at("type"), other, fix);
                return None;
            }
        };
        object.finish(problems);
        step
    }
}

impl ShippedTask {
    /// Creates a step that Piton derives from another one.
    pub(crate) fn new(at: Pointer, id: StepId, title: String, prompt: String) -> Self {
        Self {
            at,
            id,
            title,
            content: ShippedContent::Prompt(Prompt::Text(prompt)),
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
            access: None,
            audit: None,
            verification: None,
        }
    }

    fn read(object: &mut ObjectReader<'_>, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let id = object.required("id", problems);
        let title = object.required::<Line>("title", problems);
        let content = content(object, problems);
        let agent_role = object.optional::<Paragraph>("agentRole", problems);
        let asked = object.optional::<ShippedConfirmation>("requireConfirmation", problems);
        let rules_at = object.at("validationCriteria");
        let rules = object.raw("validationCriteria");
        let criteria = rules.map(|rules| criteria::read(rules, &rules_at, problems));
        let guidance = object.list::<Paragraph>("guidance", BLOCK_ITEMS_MAX, problems);
        let mut flag = |name| object.optional(name, problems).unwrap_or(false);
        let (ask_for_files, has_validation) = (flag("askForFiles"), flag("hasValidation"));
        let notes_optional = flag("notesOptional");
        let functions =
            object.list_by("functionDefinitions", DECLARATIONS_MAX, problems, function::read);
        let function_references =
            object.list_by("functionReferences", DECLARATIONS_MAX, problems, function::reference);
        let task = Self {
            agent_role: agent_role.map(BoundedText::into_string),
            model_tier: object.optional("modelTier", problems),
            guidance: strings(guidance),
            ask_for_files,
            has_validation,
            confirmation: asked.and_then(|asked| asked.0),
            run_condition: object.optional("runCondition", problems),
            criteria: criteria.unwrap_or_default(),
            contract: object.optional("outputContract", problems),
            assessment_refs: object.list("assessmentRefs", DECLARATIONS_MAX, problems),
            consequences: object.list("assessmentConsequences", DECLARATIONS_MAX, problems),
            notes_optional,
            functions,
            function_calls: object.list("functionCalls", DECLARATIONS_MAX, problems),
            function_references,
            fragments: object.list("promptFragments", DECLARATIONS_MAX, problems),
            access: object.optional("access", problems),
            audit: object.optional("audit", problems),
            verification: object.optional("verification", problems),
            content: content?,
            ..Self::new(at.clone(), id?, title?.into_string(), String::new())
        };
        Some(task)
    }
}

/// Reads the content, which has exactly one of three forms.
fn content(object: &mut ObjectReader<'_>, problems: &mut Problems) -> Option<ShippedContent> {
    let forms = ["prompt", "promptBlocks", "templateCall"];
    let there: Vec<_> = forms.into_iter().filter(|form| object.has(form)).collect();
    match there.as_slice() {
        [] => {
            object.missing("prompt", problems);
            None
        }
        ["templateCall"] => object.required("templateCall", problems).map(ShippedContent::Call),
        [_] => Prompt::read(object, Variables::Allowed, problems).map(ShippedContent::Prompt),
        [first, ..] => {
            // All of them count as known fields, so that the conflict is the only problem reported.
            for form in forms {
                object.raw(form);
            }
            let reason = "a step has one of `prompt`, `promptBlocks` and `templateCall`";
            let at = object.at(first);
            problems.report(&at, ProblemCode::ConflictingFields, reason, "keep one of them");
            None
        }
    }
}

impl FromSource for TemplateCall {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let routine = object.required("templateId", problems);
        let args = match object.raw("args") {
            None => Map::new(),
            Some(Value::Object(args)) => args.clone(),
            Some(other) => {
                wrong_type(other, &object.at("args"), "an object", problems);
                Map::new()
            }
        };
        object.finish(problems);
        Some(Self { at: at.clone(), routine: routine?, args })
    }
}

impl FromSource for Contract {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let reference = object.required("contractRef", problems);
        let required = object.optional("required", problems).unwrap_or(true);
        object.finish(problems);
        Some(Self { at: at.clone(), reference: reference?, required })
    }
}

impl FromSource for Fragment {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let id = object.required::<Name>("id", problems);
        let stated = object.has("when");
        let when = object.optional("when", problems);
        let text = object.required::<Passage>("text", problems);
        object.finish(problems);
        // A condition that could not be read must not turn into a fragment that is always shown.
        if stated && when.is_none() {
            return None;
        }
        Some(Self { id: id?.into_string(), when, text: text?.into_string() })
    }
}

/// Reads an optional prompt.
fn prompt(object: &mut ObjectReader<'_>, problems: &mut Problems) -> Option<String> {
    let prompt = object.optional::<BoundedText<PROMPT_BYTES_MAX>>("prompt", problems);
    prompt.map(BoundedText::into_string)
}

impl FromSource for Audit {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let prompt = prompt(&mut object, problems);
        let rubric = strings(object.list::<Paragraph>("rubric", BLOCK_ITEMS_MAX, problems));
        object.finish(problems);
        Some(Self { prompt, rubric })
    }
}

impl FromSource for Verification {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let command = object.optional::<Paragraph>("command", problems);
        let prompt = prompt(&mut object, problems);
        object.finish(problems);
        Some(Self { command: command.map(BoundedText::into_string), prompt })
    }
}
