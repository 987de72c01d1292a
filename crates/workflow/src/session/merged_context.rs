//! The context of a run: a change merged over what was there before.

use serde_json::{Map, Value};

use super::error::Refusal;
use crate::event::{PayloadError, RunContext};

/// Merges `change` over `before`. Returns `None` if that changes nothing. Values are replaced whole, and `null`
/// removes a key.
pub(super) fn after(
    before: Option<&RunContext>,
    change: &Map<String, Value>,
) -> Result<Option<RunContext>, Refusal> {
    // The change is checked by itself as well: it may be too large even if it removes more than it adds.
    RunContext::new(change)?;
    let mut object = before.map(|context| context.as_object().clone()).unwrap_or_default();
    for (key, value) in change {
        if value.is_null() {
            object.remove(key);
        } else {
            object.insert(key.clone(), value.clone());
        }
    }
    let context = RunContext::new(&object).map_err(|error| match error {
        PayloadError::ContextTooLarge { measured_bytes } => {
            Refusal::ContextTooLarge { what: "context after the change", measured: measured_bytes }
        }
        error => error.into(),
    })?;
    let known = before.map_or_else(|| context.as_object().is_empty(), |before| *before == context);
    Ok((!known).then_some(context))
}

/// Returns the context of a run at its start. There is nothing to remove, so a `null` is left out.
pub(super) fn at_start(
    goal: Option<&str>,
    context: &Map<String, Value>,
) -> Result<Option<RunContext>, Refusal> {
    let mut object = context.clone();
    if let Some(goal) = goal {
        object.insert("goal".to_owned(), Value::from(goal));
    }
    after(None, &object)
}
