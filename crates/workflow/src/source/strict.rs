//! The strict dialect: the content of a file after reading, with its declarations for steps: tasks, loops and template
//! calls.
//!
//! *Invariants*: every value is well-formed by itself. The compiler has to find out whether names point at
//! something, which is why everything that it may complain about carries its position.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::function::Function;
use super::problem::{ProblemCode, Problems};
use super::prompt::{Prompt, Prose, Variables};
use super::read::{FromSource, ObjectReader, Whole, read_by_parsing};
use super::task::{ContractUse, Task};
use super::{
    DeclaredId, Dialect, FeatureId, Pointer, SourceOrigin, TemplateId, criteria, function,
};
use crate::bounds::{
    DECLARATIONS_MAX, DESCRIPTION_BYTES_MAX, LOOP_TURNS_MAX, STEPS_MAX, TAGS_MAX, TITLE_BYTES_MAX,
};
use crate::capability::Capability;
use crate::compile::{CapabilityNeed, Confirmation, UserNeed};
use crate::event::{Autonomy, RiskPolicy};
use crate::name::{ConditionId, LoopId, StepId, Tag};
use crate::reason::{NonAssumableChoice, UserOnlyDependency};

/// A title, or another line.
pub(crate) type Title = Prose<TITLE_BYTES_MAX>;

/// A few paragraphs.
pub(crate) type Description = Prose<DESCRIPTION_BYTES_MAX>;

/// A whole file. Parts with problems are missing from it.
#[derive(Debug)]
pub(crate) struct StrictWorkflow {
    pub(crate) id: Option<DeclaredId>,
    pub(crate) name: Option<Title>,
    pub(crate) description: Option<Description>,
    pub(crate) agent_role: Option<Description>,
    pub(crate) tags: BTreeSet<Tag>,
    pub(crate) recommended_autonomy: Option<Autonomy>,
    pub(crate) recommended_risk_policy: Option<RiskPolicy>,
    pub(crate) capabilities: BTreeMap<Capability, CapabilityNeed>,
    pub(crate) features: Vec<FeatureUse>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) functions: Vec<Function>,
    pub(crate) steps: Vec<StrictStep>,
}

/// A feature that the author switched on.
#[derive(Debug)]
pub(crate) struct FeatureUse {
    pub(crate) at: Pointer,
    pub(crate) id: FeatureId,
    pub(crate) config: Option<Value>,
}

/// A condition that loops refer to: the newest valid loop-control artifact of a loop says `continue`.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) at: Pointer,
    pub(crate) id: ConditionId,
    pub(crate) loop_id: LoopId,
}

impl StrictWorkflow {
    /// Reads a file from `origin`.
    pub(crate) fn read(
        value: &Value,
        origin: &SourceOrigin,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut object = ObjectReader::open(value, &Pointer::root(), problems)?;
        object.schema_address();
        let id = DeclaredId::of(&mut object, origin);
        let recommended = object.optional::<Recommended>("recommendedPreferences");
        let recommended = recommended.unwrap_or_default();
        let workflow = Self {
            id,
            name: object.optional("name"),
            description: object.optional("description"),
            agent_role: object.optional("agentRole"),
            tags: tags(&mut object),
            recommended_autonomy: recommended.autonomy,
            recommended_risk_policy: recommended.risk_policy,
            capabilities: capabilities(&mut object),
            features: object.list("features", DECLARATIONS_MAX),
            conditions: object.list("conditions", DECLARATIONS_MAX),
            functions: function::definitions(&mut object, Dialect::Strict),
            steps: object.filled_list("steps", STEPS_MAX),
        };
        object.finish();
        Some(workflow)
    }
}

/// Reads the kinds of work that the workflow is for, in any order.
pub(crate) fn tags(object: &mut ObjectReader<'_, '_>) -> BTreeSet<Tag> {
    object.list("tags", TAGS_MAX).into_iter().collect()
}

/// The most freedom that the author recommends for a run.
#[derive(Debug, Default)]
pub(crate) struct Recommended {
    pub(crate) autonomy: Option<Autonomy>,
    pub(crate) risk_policy: Option<RiskPolicy>,
}

impl FromSource for Recommended {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let autonomy = object.optional("recommendedAutonomy");
        let risk_policy = object.optional("recommendedRiskPolicy");
        object.finish();
        Some(Self { autonomy, risk_policy })
    }
}

read_by_parsing!(UnknownName, "use required, preferred or disabled": CapabilityNeed);

fn capabilities(object: &mut ObjectReader<'_, '_>) -> BTreeMap<Capability, CapabilityNeed> {
    let mut read = BTreeMap::new();
    for (name, need, at) in object.entries("capabilities", "an object") {
        let name = Value::String(name.clone());
        let capability = Capability::read(&name, &at, object.problems);
        let need = CapabilityNeed::read(need, &at, object.problems);
        read.extend(capability.zip(need));
    }
    read
}

impl FromSource for FeatureUse {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        if value.is_string() {
            let id = FeatureId::read(value, at, problems)?;
            return Some(Self { at: at.clone(), id, config: None });
        }
        let mut object = ObjectReader::open(value, at, problems)?;
        let id = object.required("featureId");
        let config = object.raw("config").cloned();
        object.finish();
        Some(Self { at: at.clone(), id: id?, config })
    }
}

impl FromSource for Condition {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let fix = "use {\"conditionId\": …, \"kind\": \"loop_control\", \"loopId\": …}";
        if value.is_string() {
            let reason = "a condition is one of a closed set, not an expression";
            problems.report(at, ProblemCode::LoopWithoutControl, reason, fix);
            return None;
        }
        let mut object = ObjectReader::open(value, at, problems)?;
        match object.raw("kind") {
            Some(Value::String(kind)) if kind == "loop_control" => {}
            None => object.missing("kind"),
            Some(_) => {
                let reason =
                    "the only kind of condition is `loop_control`; context variables drive no loop";
                object.report("kind", ProblemCode::LoopWithoutControl, reason, fix);
                return None;
            }
        }
        let id = object.required("conditionId");
        let loop_id = object.required("loopId");
        object.finish();
        Some(Self { at: at.clone(), id: id?, loop_id: loop_id? })
    }
}

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

pub(super) fn task(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<Task> {
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
