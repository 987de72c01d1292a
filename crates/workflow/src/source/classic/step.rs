//! Steps that an agent does, and calls of routines.

use piton_core::BoundedText;
use serde_json::{Map, Value};

use super::loops::Loop;
use super::parallel::Parallel;
use super::{Line, Name, Paragraph, Passage, strings};
use crate::bounds::{BLOCK_ITEMS_MAX, DECLARATIONS_MAX, PROMPT_BYTES_MAX};
use crate::compile::{Confirmation, Fragment};
use crate::predicate::Predicate;
use crate::source::problem::{Pointer, ProblemCode, Problems};
use crate::source::prompt::{Prompt, Variables};
use crate::source::read::{FromSource, ObjectReader, wrong_type};
use crate::source::task::{Audit, ContractUse, RoutineCall, Task, TaskContent, Verification};
use crate::source::{Dialect, criteria, function};

/// A step, as its author wrote it.
#[derive(Debug)]
pub(crate) enum ClassicStep {
    Task(Box<Task>),
    Loop(Box<Loop>),
    Parallel(Box<Parallel>),
}

impl FromSource for ClassicStep {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let kind = if object.raw("type").is_some() { object.required_text("type")? } else { "" };
        let step = match kind {
            "" => task(&mut object, at).map(Box::new).map(Self::Task),
            "loop" => Loop::read(&mut object, at).map(Box::new).map(Self::Loop),
            "parallel" => Parallel::read(&mut object, at).map(Box::new).map(Self::Parallel),
            other => {
                let fix = "use `loop` or `parallel`, or leave `type` out";
                object.problems.report_step_type(&at.field("type"), other, fix);
                return None;
            }
        };
        object.finish();
        step
    }
}

pub(in crate::source) fn task(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<Task> {
    let id = object.required("id");
    let title = object.required::<Line>("title");
    let content = content(object);
    let agent_role = object.optional::<Paragraph>("agentRole");
    let task = Task {
        agent_role: agent_role.map(BoundedText::into_string),
        model_tier: object.optional("modelTier"),
        guidance: strings(object.list::<Paragraph>("guidance", BLOCK_ITEMS_MAX)),
        ask_for_files: object.flag("askForFiles"),
        has_validation: object.flag("hasValidation"),
        confirmation: confirmation(object),
        run_condition: object.optional("runCondition"),
        criteria: criteria::read(object, Dialect::Classic),
        contract: object.optional("outputContract"),
        assessment_refs: object.list("assessmentRefs", DECLARATIONS_MAX),
        consequences: object.list("assessmentConsequences", DECLARATIONS_MAX),
        notes_optional: object.flag("notesOptional"),
        functions: function::definitions(object, Dialect::Classic),
        function_calls: object.list("functionCalls", DECLARATIONS_MAX),
        function_references: function::references(object, Dialect::Classic),
        fragments: object.list("promptFragments", DECLARATIONS_MAX),
        access: object.optional("access"),
        audit: object.optional("audit"),
        verification: object.optional("verification"),
        content: content?,
        ..Task::new(at.clone(), id?, title?.into_string(), Prompt::Text(String::new()))
    };
    Some(task)
}

/// Reads the content, which has exactly one of three forms.
fn content(object: &mut ObjectReader<'_, '_>) -> Option<TaskContent> {
    let forms = ["prompt", "promptBlocks", "templateCall"];
    let there: Vec<_> = forms.into_iter().filter(|form| object.has(form)).collect();
    match there.as_slice() {
        [] => {
            object.missing("prompt");
            None
        }
        ["templateCall"] => object.required("templateCall").map(TaskContent::Call),
        [_] => Prompt::read(object, Variables::Allowed).map(TaskContent::Prompt),
        [first, ..] => {
            // All of them count as known fields, so that the conflict is the only problem reported.
            for form in forms {
                object.raw(form);
            }
            let reason = "a step has one of `prompt`, `promptBlocks` and `templateCall`";
            object.report(first, ProblemCode::ConflictingFields, reason, "keep one of them");
            None
        }
    }
}

/// Reads `requireConfirmation`: true or false, a condition, or a person to ask with a condition.
pub(super) fn confirmation(object: &mut ObjectReader<'_, '_>) -> Option<Confirmation> {
    let at = object.at("requireConfirmation");
    let value = object.raw("requireConfirmation")?;
    let problems = &mut *object.problems;
    match value {
        Value::Bool(asked) => asked.then(Confirmation::default),
        Value::Object(entries) if entries.contains_key("kind") => {
            let mut object = ObjectReader::open(value, &at, problems)?;
            let kind = object.required("kind");
            let when = object.optional("condition");
            object.finish();
            Some(Confirmation { kind: Some(kind?), when })
        }
        Value::Object(_) => {
            let when = Some(Predicate::read(value, &at, problems)?);
            Some(Confirmation { kind: None, when })
        }
        other => {
            wrong_type(other, &at, "true, false or a condition", problems);
            None
        }
    }
}

impl FromSource for RoutineCall {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let routine = object.required("templateId");
        let args = match object.raw("args") {
            None => Map::new(),
            Some(Value::Object(args)) => args.clone(),
            Some(other) => {
                wrong_type(other, &at.field("args"), "an object", object.problems);
                Map::new()
            }
        };
        object.finish();
        Some(Self { at: at.clone(), routine: routine?, args })
    }
}

impl FromSource for ContractUse {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let reference = object.required("contractRef");
        let required = object.optional("required").unwrap_or(true);
        object.finish();
        Some(Self { at: at.clone(), reference: reference?, required })
    }
}

impl FromSource for Fragment {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let id = object.required::<Name>("id");
        let stated = object.has("when");
        let when = object.optional("when");
        let text = object.required::<Passage>("text");
        object.finish();
        // A condition that could not be read must not turn into a fragment that is always shown.
        if stated && when.is_none() {
            return None;
        }
        Some(Self { id: id?.into_string(), when, text: text?.into_string() })
    }
}

/// Reads an optional prompt.
pub(super) fn prompt(object: &mut ObjectReader<'_, '_>) -> Option<String> {
    object.optional::<BoundedText<PROMPT_BYTES_MAX>>("prompt").map(BoundedText::into_string)
}

impl FromSource for Audit {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let prompt = prompt(&mut object);
        let rubric = strings(object.list::<Paragraph>("rubric", BLOCK_ITEMS_MAX));
        object.finish();
        Some(Self { prompt, rubric })
    }
}

impl FromSource for Verification {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let command = object.optional::<Paragraph>("command").map(BoundedText::into_string);
        let prompt = prompt(&mut object);
        object.finish();
        Some(Self { command, prompt })
    }
}
