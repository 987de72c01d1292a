//! Checks the arguments that an agent sent against the schema of the tool.
//!
//! *Invariants*: all problems are reported at once, by field. Except for names of fields, the arguments are never
//! quoted: they may be large, or confidential.
//!
//! *Limitations*: it knows the keywords that the schemas of the tools use: `type`, `enum`, `properties`, `required`,
//! `additionalProperties: false` and `items`. Patterns are left to the types.

use piton_core::{Code, Envelope, truncate};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::bounds::{ARGUMENT_PROBLEMS_MAX, QUOTED_BYTES_MAX};
use crate::catalogue::{Object, ToolCard};

/// Returns the arguments of a call of `tool` if they fit its schema. Fields sent under an alias get their own name.
pub(crate) fn check(
    tool: &ToolCard,
    aliases: &[(&str, &str)],
    arguments: Object,
) -> Result<Object, Envelope> {
    let arguments = tool.without_aliases(aliases, without_nulls(&tool.input, arguments));
    let mut problems = Vec::new();
    check_object(&tool.input, &arguments, "", &mut problems);
    if problems.is_empty() { Ok(arguments) } else { Err(refusal(tool, &problems)) }
}

/// Deserialises arguments into a request.
pub(crate) fn typed<T: DeserializeOwned>(
    tool: &ToolCard,
    arguments: Object,
) -> Result<T, Envelope> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| refusal(tool, &[reason(&error)]))
}

/// Returns the reason that a value does not fit its type, without the value, which serde quotes.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("a value has the wrong form, expected {expected}"),
        None => text,
    }
}

/// Removes fields that are `null`, which means that they were left out. A field that is required and takes any JSON
/// keeps it: there, `null` is the value that was sent. Nested values are not touched, because `null` may have a meaning
/// there.
fn without_nulls(schema: &Object, mut arguments: Object) -> Object {
    arguments.retain(|name, value| !value.is_null() || takes_null(schema, name));
    arguments
}

/// True if a field is required and nothing in its schema excludes `null`.
fn takes_null(schema: &Object, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        required.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)));
    let is_open = match schema.get("properties").and_then(|properties| properties.get(name)) {
        Some(Value::Object(field)) => ["type", "enum", "const", "anyOf", "oneOf"]
            .iter()
            .all(|word| !field.contains_key(*word)),
        Some(open) => open == &Value::Bool(true),
        None => false,
    };
    is_required && is_open
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

/// True if a value has a type as schemas name it. A whole number is a number too.
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
