//! Decides whether a loop that is driven by the context begins a turn.

use serde_json::Value;

use crate::compile::{CompiledCondition, CompiledLoop, Count};
use crate::predicate::PredicateScope;

/// The answer of a loop's condition.
pub(super) struct GivenContext {
    /// True if the condition lets the turn begin. The limit of the loop is checked elsewhere.
    pub(super) holds: bool,
    /// The reason for the answer, in words.
    pub(super) why: String,
    /// The missing context, if that is the reason.
    pub(super) lack: Option<MissingContext>,
}

/// A context value that is missing or of the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MissingContext {
    pub(super) key: String,
    /// Description of the value that must be there.
    pub(super) wanted: &'static str,
    /// Description of the value that is there instead, if any.
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

/// Decides whether the turn `turn` of a loop begins. `outside` is the scope around the loop, `inside` the scope of
/// that turn. Loops that decision steps drive are not asked here.
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

/// Returns the number of turns that a loop is to have, if it is known. A counting loop may ask for more than its
/// limit.
fn turns(condition: &CompiledCondition, outside: &PredicateScope<'_>) -> Result<u32, GivenContext> {
    // An explicit `null` counts as missing.
    let there = |key: &str| outside.get(key).filter(|value| !value.is_null());
    match condition {
        CompiledCondition::Count { count: Count::Turns(turns), .. } => Ok(*turns),
        CompiledCondition::Count { count: Count::Key(key), .. } => {
            let value = there(key);
            // A number that does not fit is as good as the largest one: the limit of the loop ends it either way.
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

/// Returns the number of turns that a loop will have, and true if it is exact. Otherwise it is the loop's limit.
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
