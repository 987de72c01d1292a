//! Steps of the strict dialect: tasks, loops and template calls.

use serde_json::Value;

use super::{Description, Title};
use crate::bounds::{LOOP_TURNS_MAX, STEPS_MAX};
use crate::compile::{Confirmation, UserNeed};
use crate::name::{ConditionId, LoopId, StepId};
use crate::reason::{NonAssumableChoice, UserOnlyDependency};
use crate::source::function::Function;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::prompt::{Prompt, Prose, Variables};
use crate::source::read::{FromSource, ObjectReader, Whole};
use crate::source::task::{ContractUse, Task};
use crate::source::{Dialect, Pointer, TemplateId, criteria, function};

/// A step, as its author wrote it.
#[derive(Debug)]
pub(crate) enum StrictStep {
    Task(Box<Task>),
    Loop(Loop),
    Call(TemplateCall),
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
        let kind =
            if object.raw("type").is_some() { object.required_text("type")? } else { "step" };
        let step = match kind {
            "step" => task(&mut object, at).map(Box::new).map(Self::Task),
            "loop" => Loop::read(&mut object, at).map(Self::Loop),
            "template_call" => TemplateCall::read(&mut object, at).map(Self::Call),
            other => {
                let fix = "use `step`, `loop` or `template_call`";
                object.problems.report_step_type(&at.field("type"), other, fix);
                return None;
            }
        };
        object.finish();
        step
    }
}

fn task(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<Task> {
    let id = object.required("id");
    let title = object.required::<Title>("title");
    let prompt = Prompt::read(object, Variables::Refused);
    let agent_role = object.optional::<Description>("agentRole");
    let task = Task {
        agent_role: agent_role.map(Prose::into_string),
        confirmation: object.flag("requireConfirmation").then(Confirmation::default),
        notes_optional: object.flag("notesOptional"),
        contract: object.optional::<StrictContract>("outputContract").map(|contract| contract.0),
        criteria: criteria::read(object, Dialect::Strict),
        functions: function::definitions(object, Dialect::Strict),
        function_references: function::references(object, Dialect::Strict),
        needs_user: object.optional("needsUser"),
        access: object.optional("access"),
        // Every field was read before the first `?`, so that all problems of a step are reported at once.
        ..Task::new(at.clone(), id?, title?.into_string(), prompt?)
    };
    Some(task)
}

impl FromSource for UserNeed {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let reason = object.required::<UserOnlyDependency>("reason");
        let choice = object.optional::<NonAssumableChoice>("choice");
        let question = object.required::<Title>("question");
        object.finish();
        let (reason, question) = (reason?, question?.into_string());
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
                let at = at.field("choice");
                problems.report(&at, ProblemCode::UnknownField, reason, "leave it out");
                None
            }
            _ => Some(Self { reason, choice, question }),
        }
    }
}

/// A contract, which is always required in this dialect.
struct StrictContract(ContractUse);

impl FromSource for StrictContract {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let contract = object.required("contractRef");
        object.finish();
        contract.map(|reference| Self(ContractUse { at: at.clone(), reference, required: true }))
    }
}

impl Loop {
    fn read(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<Self> {
        let id = object.required("loopId");
        let title = object.optional("title");
        let condition = object.required::<While>("while");
        let turns_max = object.required::<Whole<1, LOOP_TURNS_MAX>>("maxIterations");
        let functions = function::definitions(object, Dialect::Strict);
        // Stop reading here if the nesting is too deep. The field still counts as known.
        let body = if object.problems.check_loop_depth(at) {
            object.filled_list("body", STEPS_MAX)
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
                object.problems.report(at, ProblemCode::LoopWithoutControl, reason, fix);
                return None;
            }
        }
        let condition = object.required("conditionId");
        object.finish();
        condition.map(Self)
    }
}

impl TemplateCall {
    fn read(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<Self> {
        let id = object.required("id");
        let template = object.required("templateId");
        let args = object.raw("args").cloned();
        Some(Self { at: at.clone(), id: id?, template: template?, args })
    }
}
