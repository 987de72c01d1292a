//! Steps of the strict dialect: tasks, loops and template calls.

use serde_json::Value;

use super::criteria;
use super::prompt::{Prompt, Variables};
use super::workflow::{Function, FunctionReference};
use super::{Description, Title};
use crate::bounds::{DECLARATIONS_MAX, LOOP_TURNS_MAX, STEPS_MAX};
use crate::compile::{StepAccess, UserNeed};
use crate::contract::criteria::Criterion;
use crate::name::{ConditionId, LoopId, StepId};
use crate::reason::{NonAssumableChoice, UserOnlyDependency};
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, Whole, text};
use crate::source::{ContractRef, Pointer, TemplateId};

/// A step, as its author wrote it.
#[derive(Debug)]
pub(crate) enum StrictStep {
    Task(Box<StrictTask>),
    Loop(Loop),
    Call(TemplateCall),
}

/// A step that an agent does.
#[derive(Debug)]
pub(crate) struct StrictTask {
    pub(crate) at: Pointer,
    pub(crate) id: StepId,
    pub(crate) title: Title,
    pub(crate) prompt: Prompt,
    pub(crate) agent_role: Option<Description>,
    pub(crate) require_confirmation: bool,
    pub(crate) notes_optional: bool,
    pub(crate) output_contract: Option<ContractRef>,
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) functions: Vec<Function>,
    pub(crate) function_references: Vec<FunctionReference>,
    pub(crate) needs_user: Option<UserNeed>,
    pub(crate) access: Option<StepAccess>,
}

/// Steps that are repeated.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) at: Pointer,
    pub(crate) id: LoopId,
    pub(crate) title: Option<Title>,
    pub(crate) condition: ConditionId,
    pub(crate) turns_max: u32,
    pub(crate) functions: Vec<Function>,
    pub(crate) body: Vec<StrictStep>,
}

/// A place that the steps of a template replace.
#[derive(Debug)]
pub(crate) struct TemplateCall {
    pub(crate) at: Pointer,
    pub(crate) id: StepId,
    pub(crate) template: TemplateId,
    pub(crate) args: Option<Value>,
}

impl FromSource for StrictStep {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let kind = match object.raw("type") {
            None => "step",
            Some(kind) => text(kind, &object.at("type"), problems)?,
        };
        let step = match kind {
            "step" => {
                StrictTask::read(&mut object, at, problems).map(|task| Self::Task(Box::new(task)))
            }
            "loop" => Loop::read(&mut object, at, problems).map(Self::Loop),
            "template_call" => TemplateCall::read(&mut object, at, problems).map(Self::Call),
            other => {
                let fix = "use `step`, `loop` or `template_call`";
                problems.report_step_type(&object.at("type"), other, fix);
                return None;
            }
        };
        object.finish(problems);
        step
    }
}

impl StrictTask {
    fn read(object: &mut ObjectReader<'_>, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let id = object.required("id", problems);
        let title = object.required("title", problems);
        let prompt = Prompt::read(object, Variables::Refused, problems);
        let agent_role = object.optional("agentRole", problems);
        let require_confirmation = object.optional("requireConfirmation", problems);
        let notes_optional = object.optional("notesOptional", problems);
        let output_contract = object.optional::<OutputContract>("outputContract", problems);
        let criteria_at = object.at("validationCriteria");
        let rules = object.raw("validationCriteria");
        let criteria = rules.map(|rules| criteria::read(rules, &criteria_at, problems));
        let functions = object.list("functionDefinitions", DECLARATIONS_MAX, problems);
        let function_references = object.list("functionReferences", DECLARATIONS_MAX, problems);
        let needs_user = object.optional("needsUser", problems);
        let access = object.optional("access", problems);
        // Every field was read before the first `?`, so that all problems of a step are reported at once.
        Some(Self {
            at: at.clone(),
            id: id?,
            title: title?,
            prompt: prompt?,
            agent_role,
            require_confirmation: require_confirmation.unwrap_or(false),
            notes_optional: notes_optional.unwrap_or(false),
            output_contract: output_contract.map(|contract| contract.0),
            criteria: criteria.unwrap_or_default(),
            functions,
            function_references,
            needs_user,
            access,
        })
    }
}

impl FromSource for UserNeed {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let reason = object.required::<UserOnlyDependency>("reason", problems);
        let choice = object.optional::<NonAssumableChoice>("choice", problems);
        let question = object.required::<Title>("question", problems);
        object.finish(problems);
        let (reason, question) = (reason?, question?.as_str().to_owned());
        match (reason == UserOnlyDependency::Choice, choice) {
            (true, None) => {
                let reason = "a choice that only a person can make says why no agent may assume it";
                let fix =
                    format!("add \"choice\": one of {}", NonAssumableChoice::NAMES.join(", "));
                problems.report(at, ProblemCode::MissingField, reason, fix);
                None
            }
            (false, Some(_)) => {
                let reason = "only `needs_user_choice` has a choice";
                problems.report(
                    &at.field("choice"),
                    ProblemCode::UnknownField,
                    reason,
                    "leave it out",
                );
                None
            }
            _ => Some(Self { reason, choice, question }),
        }
    }
}

struct OutputContract(ContractRef);

impl FromSource for OutputContract {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let contract = object.required("contractRef", problems);
        object.finish(problems);
        contract.map(Self)
    }
}

impl Loop {
    fn read(object: &mut ObjectReader<'_>, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let id = object.required("loopId", problems);
        let title = object.optional("title", problems);
        let condition = object.required::<While>("while", problems);
        let turns_max = object.required::<Whole<1, LOOP_TURNS_MAX>>("maxIterations", problems);
        let functions = object.list("functionDefinitions", DECLARATIONS_MAX, problems);
        // Stop reading here if the nesting is too deep. The field still counts as known.
        let body = if problems.check_loop_depth(at) {
            object.filled_list("body", STEPS_MAX, problems)
        } else {
            object.raw("body");
            Vec::new()
        };
        Some(Self {
            at: at.clone(),
            id: id?,
            title,
            condition: condition?.0,
            turns_max: turns_max?.0,
            functions,
            body,
        })
    }
}

struct While(ConditionId);

impl FromSource for While {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let fix =
            "write {\"kind\": \"condition_ref\", \"conditionId\": …} and declare the condition";
        if !value.is_object() {
            let reason = "a loop goes on by a declared condition, not by an expression";
            problems.report(at, ProblemCode::LoopWithoutControl, reason, fix);
            return None;
        }
        let mut object = ObjectReader::open(value, at, problems)?;
        match object.raw("kind") {
            Some(Value::String(kind)) if kind == "condition_ref" => {}
            _ => {
                let reason = "a loop goes on by a declared condition only";
                problems.report(at, ProblemCode::LoopWithoutControl, reason, fix);
                return None;
            }
        }
        let condition = object.required("conditionId", problems);
        object.finish(problems);
        condition.map(Self)
    }
}

impl TemplateCall {
    fn read(object: &mut ObjectReader<'_>, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let id = object.required("id", problems);
        let template = object.required("templateId", problems);
        let args = object.raw("args").cloned();
        Some(Self { at: at.clone(), id: id?, template: template?, args })
    }
}
