//! Loops: `while`, `until`, `for` and `forEach`.

use piton_core::BoundedText;
use serde_json::Value;

use super::step::{ClassicStep, confirmation};
use super::{Line, Name};
use crate::bounds::{LOOP_TURNS_MAX, STEPS_MAX};
use crate::compile::{Confirmation, Count, FunctionName, LoopVariables};
use crate::contract::BuiltinContract;
use crate::name::{LoopId, StepId};
use crate::predicate::Predicate;
use crate::source::function::Function;
use crate::source::problem::{NAME_FORM, ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, Whole, wrong_type};
use crate::source::{ContractRef, Dialect, Pointer, function};

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
    Steps(Vec<ClassicStep>),
    /// A step of the workflow's top-level list, which is then done in the loop only.
    Named {
        at: Pointer,
        id: StepId,
    },
}

impl Loop {
    pub(super) fn read(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<Self> {
        let id = object.required("id");
        let title = object.required::<Line>("title");
        let turning = object.required::<LoopField>("loop");
        let functions = function::definitions(object, Dialect::Classic);
        let confirmation = confirmation(object);
        let run_condition = object.optional("runCondition");
        let notes_optional = object.flag("notesOptional");
        let body = body(object, at);
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
            confirmation,
            run_condition,
            notes_optional,
        })
    }
}

fn body(object: &mut ObjectReader<'_, '_>, at: &Pointer) -> Option<LoopBody> {
    // A named body adds no nesting to the file, so its depth is checked during lowering.
    if let Some(named @ Value::String(_)) = object.raw("body") {
        let at = object.at("body");
        return StepId::read(named, &at, object.problems).map(|id| LoopBody::Named { at, id });
    }
    if !object.problems.check_loop_depth(at) {
        return None;
    }
    Some(LoopBody::Steps(object.filled_list("body", STEPS_MAX)))
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
        let turns_max = object.required::<Whole<1, LOOP_TURNS_MAX>>("maxIterations");
        let variables = LoopVariables {
            iteration: variable(&mut object, "iterationVar", "currentIteration"),
            item: variable(&mut object, "itemVar", "currentItem"),
            index: variable(&mut object, "indexVar", "currentIndex"),
        };
        let drive = match object.required_text("type")? {
            kind @ ("while" | "until") => asked_loop(&mut object, kind == "until"),
            "for" => object.required::<Count>("count").map(Drive::Count),
            "forEach" => {
                let key = object.required::<Name>("items");
                key.map(|key| Drive::Items(key.into_string()))
            }
            other => {
                let reason = format!("`{other}` is not a type of loop");
                let fix = "use `while`, `until`, `for` or `forEach`";
                object.report("type", ProblemCode::UnknownName, reason, fix);
                return None;
            }
        };
        let condition_stated = object.has("condition");
        object.finish();
        Some(Self { drive: drive?, condition_stated, turns_max: turns_max?.0, variables })
    }
}

/// Reads the driver of a `while` or `until` loop. An `until` loop repeats while its condition does not hold;
/// a decision says `continue` or `stop` and means that in both.
fn asked_loop(object: &mut ObjectReader<'_, '_>, until: bool) -> Option<Drive> {
    let turns_while = |predicate: Predicate| {
        if until { Predicate::Not { of: Box::new(predicate) } } else { predicate }
    };
    let stated = object.has("condition");
    let condition = object.optional::<Predicate>("condition");
    if object.has("conditionSource") {
        return match object.optional("conditionSource")? {
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
        let source = match object.required_text("kind")? {
            "artifact_contract" => {
                let contract = object.required::<ContractRef>("contractRef");
                let loop_id = object.optional("loopId");
                let control = BuiltinContract::LoopControl.contract_ref();
                if contract.as_ref().is_some_and(|contract| *contract != control) {
                    let reason = "only the loop-control contract says whether a loop goes on";
                    let fix = "write `wr.contracts.loop_control`";
                    object.report("contractRef", ProblemCode::LoopWithoutControl, reason, fix);
                }
                contract.map(|_| Self::Control { loop_id })
            }
            "context_variable" => object.required("condition").map(Self::Context),
            other => {
                let reason = format!("`{other}` is not a source of a condition");
                let fix = "use `artifact_contract` or `context_variable`";
                object.report("kind", ProblemCode::UnknownName, reason, fix);
                return None;
            }
        };
        object.finish();
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
fn variable(object: &mut ObjectReader<'_, '_>, field: &'static str, default: &str) -> String {
    let name = object.optional::<Name>(field).map(BoundedText::into_string);
    let name = name.unwrap_or_else(|| default.to_owned());
    // Functions and variables have names of the same form.
    if name.parse::<FunctionName>().is_err() {
        let reason = format!("`{name}` is not a name of a variable");
        object.report(field, ProblemCode::InvalidId, reason, NAME_FORM);
    }
    name
}
