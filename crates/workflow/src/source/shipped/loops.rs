//! Loops: `while`, `until`, `for` and `forEach`.

use piton_core::BoundedText;
use serde_json::Value;

use super::confirmation::ShippedConfirmation;
use super::step::ShippedStep;
use super::{Line, Name, function};
use crate::bounds::{DECLARATIONS_MAX, LOOP_TURNS_MAX, STEPS_MAX};
use crate::compile::{Confirmation, Count, FunctionName, LoopVariables};
use crate::contract::BuiltinContract;
use crate::name::{LoopId, StepId};
use crate::predicate::Predicate;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, Whole, text, wrong_type};
use crate::source::shared_messages::NAME_FORM;
use crate::source::strict::Function;
use crate::source::{ContractRef, Pointer};

/// Steps that are repeated.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) at: Pointer,
    pub(crate) id: StepId,
    pub(crate) title: String,
    pub(crate) drive: Drive,
    /// Set when the author wrote a `condition`, which something else may override.
    pub(crate) condition_stated: bool,
    pub(crate) turns_max: u32,
    pub(crate) variables: LoopVariables,
    pub(crate) body: LoopBody,
    pub(crate) functions: Vec<Function>,
    pub(crate) confirmation: Option<Confirmation>,
    pub(crate) run_condition: Option<Predicate>,
    pub(crate) notes_optional: bool,
}

/// The driver of a loop: the thing that decides whether it repeats.
#[derive(Debug)]
pub(crate) enum Drive {
    /// The decision of a step of the body, under this name if one is given.
    Control {
        loop_id: Option<LoopId>,
    },
    /// The context of the run.
    Context(Predicate),
    /// The decision of a step of the body if there is one, else the context of the run.
    Either(Option<Predicate>),
    Count(Count),
    Items(String),
}

/// The work of one iteration.
#[derive(Debug)]
pub(crate) enum LoopBody {
    Steps(Vec<ShippedStep>),
    /// A step of the workflow's top-level list, which is then done in the loop only.
    Named {
        at: Pointer,
        id: StepId,
    },
}

impl Loop {
    pub(super) fn read(
        object: &mut ObjectReader<'_>,
        at: &Pointer,
        problems: &mut Problems,
    ) -> Option<Self> {
        let id = object.required("id", problems);
        let title = object.required::<Line>("title", problems);
        let turning = object.required::<LoopField>("loop", problems);
        let functions =
            object.list_by("functionDefinitions", DECLARATIONS_MAX, problems, function::read);
        let confirmation = object.optional::<ShippedConfirmation>("requireConfirmation", problems);
        let run_condition = object.optional("runCondition", problems);
        let notes_optional = object.optional("notesOptional", problems);
        let body = body(object, at, problems);
        let LoopField { drive, condition_stated, turns_max, variables } = turning?;
        Some(Self {
            at: at.clone(),
            id: id?,
            title: title?.into_string(),
            drive,
            condition_stated,
            turns_max,
            variables,
            body: body?,
            functions,
            confirmation: confirmation.and_then(|asked| asked.0),
            run_condition,
            notes_optional: notes_optional.unwrap_or(false),
        })
    }
}

fn body(object: &mut ObjectReader<'_>, at: &Pointer, problems: &mut Problems) -> Option<LoopBody> {
    // A named body adds no nesting to the file, so its depth is checked during lowering.
    if let Some(named @ Value::String(_)) = object.raw("body") {
        let at = object.at("body");
        return StepId::read(named, &at, problems).map(|id| LoopBody::Named { at, id });
    }
    if !problems.check_loop_depth(at) {
        return None;
    }
    Some(LoopBody::Steps(object.filled_list("body", STEPS_MAX, problems)))
}

/// The field `loop`: the way in which the loop repeats.
struct LoopField {
    drive: Drive,
    condition_stated: bool,
    turns_max: u32,
    variables: LoopVariables,
}

impl FromSource for LoopField {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let turns_max = object.required::<Whole<1, LOOP_TURNS_MAX>>("maxIterations", problems);
        let variables = LoopVariables {
            iteration: variable(&mut object, "iterationVar", "currentIteration", problems),
            item: variable(&mut object, "itemVar", "currentItem", problems),
            index: variable(&mut object, "indexVar", "currentIndex", problems),
        };
        let Some(kind) = object.raw("type") else {
            object.missing("type", problems);
            return None;
        };
        let drive = match text(kind, &object.at("type"), problems)? {
            kind @ ("while" | "until") => asked_loop(&mut object, kind == "until", problems),
            "for" => object.required::<Count>("count", problems).map(Drive::Count),
            "forEach" => {
                let key = object.required::<Name>("items", problems);
                key.map(|key| Drive::Items(key.into_string()))
            }
            other => {
                let reason = format!("`{other}` is not a type of loop");
                let fix = "use `while`, `until`, `for` or `forEach`";
                problems.report(&object.at("type"), ProblemCode::UnknownName, reason, fix);
                return None;
            }
        };
        let condition_stated = object.has("condition");
        object.finish(problems);
        Some(Self { drive: drive?, condition_stated, turns_max: turns_max?.0, variables })
    }
}

/// Reads the driver of a `while` or `until` loop. An `until` loop repeats while its condition does not hold;
/// a decision says `continue` or `stop` and means that in both.
fn asked_loop(
    object: &mut ObjectReader<'_>,
    until: bool,
    problems: &mut Problems,
) -> Option<Drive> {
    let turns_while = |predicate: Predicate| {
        if until { Predicate::Not { of: Box::new(predicate) } } else { predicate }
    };
    let stated = object.has("condition");
    let condition = object.optional::<Predicate>("condition", problems);
    if object.has("conditionSource") {
        return match object.optional("conditionSource", problems)? {
            LoopSource::Control { loop_id } => Some(Drive::Control { loop_id }),
            LoopSource::Context(predicate) => Some(Drive::Context(turns_while(predicate))),
        };
    }
    // A condition that could not be read must not turn into a loop without one.
    if stated && condition.is_none() {
        return None;
    }
    Some(Drive::Either(condition.map(turns_while)))
}

enum LoopSource {
    Control { loop_id: Option<LoopId> },
    Context(Predicate),
}

impl FromSource for LoopSource {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let Some(kind) = object.raw("kind") else {
            object.missing("kind", problems);
            return None;
        };
        let source = match text(kind, &object.at("kind"), problems)? {
            "artifact_contract" => {
                let contract = object.required::<ContractRef>("contractRef", problems);
                let loop_id = object.optional("loopId", problems);
                let control = BuiltinContract::LoopControl.contract_ref();
                if contract.as_ref().is_some_and(|contract| *contract != control) {
                    let reason = "only the loop-control contract says whether a loop goes on";
                    let fix = "write `wr.contracts.loop_control`";
                    let at = object.at("contractRef");
                    problems.report(&at, ProblemCode::LoopWithoutControl, reason, fix);
                }
                contract.map(|_| Self::Control { loop_id })
            }
            "context_variable" => object.required("condition", problems).map(Self::Context),
            other => {
                let reason = format!("`{other}` is not a source of a condition");
                let fix = "use `artifact_contract` or `context_variable`";
                problems.report(&object.at("kind"), ProblemCode::UnknownName, reason, fix);
                return None;
            }
        };
        object.finish(problems);
        source
    }
}

impl FromSource for Count {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        match value {
            Value::Number(_) => {
                let turns = Whole::<0, LOOP_TURNS_MAX>::read(value, at, problems)?;
                Some(Self::Turns(turns.0))
            }
            Value::String(_) => {
                Name::read(value, at, problems).map(BoundedText::into_string).map(Self::Key)
            }
            other => {
                wrong_type(other, at, "a number, or the name of one in the context", problems);
                None
            }
        }
    }
}

/// Reads the name of a variable that prompts can refer to.
fn variable(
    object: &mut ObjectReader<'_>,
    field: &'static str,
    default: &str,
    problems: &mut Problems,
) -> String {
    let name = object.optional::<Name>(field, problems).map(BoundedText::into_string);
    let name = name.unwrap_or_else(|| default.to_owned());
    // Functions and variables have names of the same form.
    if name.parse::<FunctionName>().is_err() {
        let reason = format!("`{name}` is not a name of a variable");
        problems.report(&object.at(field), ProblemCode::InvalidId, reason, NAME_FORM);
    }
    name
}
