//! Functions with parameters, and the references of steps to them.

use std::fmt::Write as _;

use piton_core::BoundedText;
use serde_json::Value;

use super::{Name, Paragraph, Passage};
use crate::bounds::DECLARATIONS_MAX;
use crate::compile::FunctionName;
use crate::source::Pointer;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, parsed, text};
use crate::source::shared_messages::NAME_FORM;
use crate::source::strict::{Function, FunctionReference};

const TYPES: [&str; 5] = ["string", "number", "boolean", "array", "object"];

/// A function that a step asks to be called, with the arguments as JSON.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCall {
    pub(crate) reference: FunctionReference,
    pub(crate) args: String,
}

/// Reads a function. Its parameters become part of its definition, because that is what an agent reads.
pub(super) fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Function> {
    let mut object = ObjectReader::open(value, at, problems)?;
    let name = object.required("name", problems);
    let definition = object.required::<Passage>("definition", problems);
    let parameters: Vec<Parameter> = object.list("parameters", DECLARATIONS_MAX, problems);
    // The scope of a function follows from its position in the file; the field is only checked.
    if let Some(scope) = object.raw("scope") {
        one_of(scope, &object.at("scope"), &["workflow", "loop", "step"], problems);
    }
    object.finish(problems);
    let mut definition = definition?.into_string();
    for parameter in parameters {
        write!(definition, "\n  - {}", parameter.0).expect("writing to a string does not fail");
    }
    Some(Function { at: at.clone(), name: name?, definition })
}

/// A parameter, as an agent reads it.
struct Parameter(String);

impl FromSource for Parameter {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let name = object.required::<Name>("name", problems);
        let kind = object.raw("type");
        let kind = match kind {
            None => {
                object.missing("type", problems);
                None
            }
            Some(kind) => one_of(kind, &object.at("type"), &TYPES, problems),
        };
        let required = object.optional("required", problems).unwrap_or(false);
        let description = object.optional::<Paragraph>("description", problems);
        let allowed = object.raw("enum").cloned();
        let default = object.raw("default").cloned();
        object.finish(problems);
        let presence = if required { "required" } else { "optional" };
        let mut words = format!("`{}` ({}, {presence}", name?.as_str(), kind?);
        let mut add = |more: String| words.push_str(&more);
        if let Some(allowed) = allowed {
            add(format!(", one of {allowed}"));
        }
        if let Some(default) = default {
            add(format!(", {default} if left out"));
        }
        add(")".into());
        if let Some(description) = description {
            add(format!(": {}", description.as_str()));
        }
        Some(Self(words))
    }
}

fn one_of<'a>(
    value: &'a Value,
    at: &Pointer,
    names: &[&str],
    problems: &mut Problems,
) -> Option<&'a str> {
    let name = text(value, at, problems)?;
    if names.contains(&name) {
        return Some(name);
    }
    let reason = format!("`{name}` is not one of: {}", names.join(", "));
    problems.report(at, ProblemCode::UnknownName, reason, "use one of these names");
    None
}

/// Reads a reference `name()`, or `name` alone.
pub(super) fn reference(
    value: &Value,
    at: &Pointer,
    problems: &mut Problems,
) -> Option<FunctionReference> {
    let name = text(value, at, problems)?;
    named(name.strip_suffix("()").unwrap_or(name), at, problems)
}

fn named(name: &str, at: &Pointer, problems: &mut Problems) -> Option<FunctionReference> {
    let name = Value::String(name.to_owned());
    let name: FunctionName = parsed(&name, at, (ProblemCode::InvalidId, NAME_FORM), problems)?;
    Some(FunctionReference { at: at.clone(), name })
}

impl FromSource for FunctionCall {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let name = object.required::<Name>("name", problems).map(BoundedText::into_string);
        let at = object.at("name");
        let reference = name.and_then(|name| named(name.trim_end_matches("()"), &at, problems));
        let args = object.raw("args").map(Value::to_string).unwrap_or_default();
        let args = Value::String(args);
        let args = if args == "" {
            Some(String::new())
        } else {
            passage(&args, &object.at("args"), problems)
        };
        object.finish(problems);
        Some(Self { reference: reference?, args: args? })
    }
}

fn passage(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<String> {
    Passage::read(value, at, problems).map(BoundedText::into_string)
}
