//! What an agent sent, checked against the schema of its tool.
//!
//! *Invariants*: everything that is wrong is told at once, by field. What was sent is never quoted, names of fields
//! aside: it may be large, or not for other eyes.
//!
//! *Limitations*: knows the keywords that the schemas of the tools use: `type`, `enum`, `properties`, `required`,
//! `additionalProperties: false` and `items`. Patterns are left to the types.

use piton_core::{Code, Envelope, truncate};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::bounds::{ARGUMENT_PROBLEMS_MAX, QUOTED_BYTES_MAX};
use crate::catalogue::{Object, ToolCard};

/// The arguments of a call of `tool`, if they fit its schema. Those under another name get that of their field.
pub(crate) fn check(
    tool: &ToolCard,
    aliases: &[(&str, &str)],
    arguments: Object,
) -> Result<Object, Envelope> {
    let arguments = renamed(tool, aliases, without_nulls(arguments));
    let mut problems = Vec::new();
    check_object(&tool.input, &arguments, "", &mut problems);
    if problems.is_empty() { Ok(arguments) } else { Err(refusal(tool, &problems)) }
}

/// The request that arguments stand for.
pub(crate) fn typed<T: DeserializeOwned>(
    tool: &ToolCard,
    arguments: Object,
) -> Result<T, Envelope> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| refusal(tool, &[error.to_string()]))
}

/// A field that is `null` is a field that was left out; inside of what the run knows it says more than that.
fn without_nulls(mut arguments: Object) -> Object {
    arguments.retain(|_, value| !value.is_null());
    arguments
}

/// Fields under the names that the schema has. A field that is given under both is left for the check to refuse.
fn renamed(tool: &ToolCard, aliases: &[(&str, &str)], mut arguments: Object) -> Object {
    let properties = tool.input.get("properties").and_then(Value::as_object);
    let has = |name: &str| properties.is_some_and(|known| known.contains_key(name));
    for (other, name) in aliases {
        let means = has(name) && !has(other) && !arguments.contains_key(*name);
        if means && let Some(value) = arguments.remove(*other) {
            arguments.insert((*name).to_owned(), value);
        }
    }
    arguments
}

fn check_value(schema: &Object, value: &Value, path: &str, problems: &mut Vec<String>) {
    if let Some(expected) = schema.get("type").and_then(Value::as_str)
        && !is_of(value, expected)
    {
        let found = type_of(value);
        problems.push(format!("`{path}` must be {}, not {}", named(expected), named(found)));
        return;
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        problems.push(format!("`{path}` must be one of {}", names.join(", ")));
    }
    match value {
        Value::Object(object) => check_object(schema, object, path, problems),
        Value::Array(items) => {
            let Some(Value::Object(schema)) = schema.get("items") else { return };
            for (place, item) in items.iter().enumerate() {
                check_value(schema, item, &format!("{path}[{place}]"), problems);
            }
        }
        _ => {}
    }
}

fn check_object(schema: &Object, object: &Object, path: &str, problems: &mut Vec<String>) {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let at = |name: &str| {
        if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
    };
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !object.contains_key(name) {
            problems.push(format!("`{}` is missing", at(name)));
        }
    }
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in object {
        match properties.get(name) {
            Some(Value::Object(property)) => check_value(property, value, &at(name), problems),
            None if is_closed => {
                let shown = at(&truncate(name, QUOTED_BYTES_MAX));
                problems.push(format!("`{shown}` is not a field: there is {}", fields(properties)));
            }
            _ => {}
        }
    }
}

fn fields(properties: &Object) -> String {
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    names.join(", ")
}

/// Whether a value is of a type as schemas name them: a whole number is a number too.
fn is_of(value: &Value, expected: &str) -> bool {
    match expected {
        "integer" => value.is_u64() || value.is_i64(),
        expected => expected == type_of(value),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn named(type_name: &str) -> &str {
    match type_name {
        "string" => "text",
        "object" => "a JSON object",
        "array" => "a JSON array",
        "number" => "a number",
        "integer" => "a whole number",
        "boolean" => "true or false",
        other => other,
    }
}

fn refusal(tool: &ToolCard, problems: &[String]) -> Envelope {
    let more = problems.len().saturating_sub(ARGUMENT_PROBLEMS_MAX);
    let mut shown = problems[..problems.len() - more].join("; ");
    if more > 0 {
        shown = format!("{shown}; and {more} more");
    }
    let none = Map::new();
    let properties = tool.input.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let name = tool.name;
    Envelope::new(Code::ValidationError, format!("The arguments of {name} are wrong: {shown}."))
        .with_suggestion(format!(
            "Send {name} one JSON object with these fields, as far as you need them: {}.",
            fields(properties)
        ))
}
