//! Whether a loop that turns by what the run was told begins a turn.

use serde_json::Value;

use crate::compile::{CompiledCondition, CompiledLoop, Count};
use crate::predicate::PredicateScope;

/// The answer.
pub(super) struct GivenContext {
    /// Whether the turn begins, its limit aside.
    pub(super) holds: bool,
    /// What that follows from.
    pub(super) why: String,
    /// What the run should have been told and was not.
    pub(super) lack: Option<MissingContext>,
}

/// Something that a run should have been told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MissingContext {
    /// Under which key.
    pub(super) key: String,
    /// What must be there.
    pub(super) wanted: &'static str,
    /// What is there instead; nothing if there is nothing.
    pub(super) found: Option<&'static str>,
}

impl GivenContext {
    fn new(holds: bool, why: String) -> Self {
        Self { holds, why, lack: None }
    }

    fn lacking(key: &str, wanted: &'static str, value: Option<&Value>) -> Self {
        let found = value.map(kind);
        let why = match found {
            None => format!("`{key}` is not in the context"),
            Some(found) => format!("`{key}` is {found}, not {wanted}"),
        };
        let lack = Some(MissingContext { key: key.to_owned(), wanted, found });
        Self { holds: false, why, lack }
    }
}

/// Whether the turn `turn` of a loop begins. `outside` is what holds around the loop, `inside` what would hold
/// in that turn. A loop that decision steps drive is not asked here.
pub(super) fn ask(
    condition: &CompiledCondition,
    turn: u32,
    outside: &PredicateScope<'_>,
    inside: &PredicateScope<'_>,
) -> GivenContext {
    match condition {
        CompiledCondition::LoopControl { .. } => {
            GivenContext::new(false, super::messages::NO_DECISION.into())
        }
        CompiledCondition::Context { predicate, .. } => {
            GivenContext::new(predicate.holds(inside), format!("it asks that {predicate}"))
        }
        CompiledCondition::Count { .. } | CompiledCondition::Items { .. } => {
            match turns(condition, outside) {
                Ok(turns) => {
                    GivenContext::new(turn < turns, format!("it is to have {turns} turns"))
                }
                Err(lack) => lack,
            }
        }
    }
}

/// How many turns a loop is to have, if that is known: its limit aside for a loop that counts.
fn turns(condition: &CompiledCondition, outside: &PredicateScope<'_>) -> Result<u32, GivenContext> {
    let there = |key: &str| outside.get(key).filter(|value| !value.is_null());
    match condition {
        CompiledCondition::Count { count: Count::Turns(turns), .. } => Ok(*turns),
        CompiledCondition::Count { count: Count::Key(key), .. } => {
            let value = there(key);
            let number = value.and_then(Value::as_u64);
            let lack = || GivenContext::lacking(key, "a whole number", value);
            number.map(|number| u32::try_from(number).unwrap_or(u32::MAX)).ok_or_else(lack)
        }
        CompiledCondition::Items { key, .. } => {
            let value = there(key);
            let items = value.and_then(Value::as_array);
            let lack = || GivenContext::lacking(key, "a list", value);
            items.map(|items| u32::try_from(items.len()).unwrap_or(u32::MAX)).ok_or_else(lack)
        }
        CompiledCondition::LoopControl { .. } | CompiledCondition::Context { .. } => Ok(u32::MAX),
    }
}

/// How many turns a loop will have: known for one that counts, at most its limit for others.
pub(super) fn expected(
    condition: Option<&CompiledCondition>,
    of: &CompiledLoop,
    outside: &PredicateScope<'_>,
) -> (u32, bool) {
    let turns = condition.and_then(|condition| turns(condition, outside).ok());
    match turns {
        Some(turns) if turns <= of.max_iterations => (turns, true),
        _ => (of.max_iterations, false),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number that does not fit",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
