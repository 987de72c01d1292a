//! Functions: names for a piece of work that prompts refer to, as both dialects declare and use them.

use std::fmt::Write as _;

use piton_core::BoundedText;
use serde_json::Value;

use super::detect::Dialect;
use super::problem::{NAME_FORM, Pointer, ProblemCode, Problems};
use super::prompt::Prose;
use super::read::{FromSource, ObjectReader, parsed, read_by_parsing, text};
use crate::bounds::{BLOCK_BYTES_MAX, DECLARATIONS_MAX, DESCRIPTION_BYTES_MAX, NAME_BYTES_MAX};
use crate::compile::FunctionName;

const PARAMETER_TYPES: [&str; 5] = ["string", "number", "boolean", "array", "object"];
const SCOPES: [&str; 3] = ["workflow", "loop", "step"];

/// A function and what it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) at: Pointer,
    pub(crate) name: FunctionName,
    pub(crate) definition: String,
}

/// A function that a step refers to.
#[derive(Clone, Debug)]
pub(crate) struct FunctionReference {
    pub(crate) at: Pointer,
    pub(crate) name: FunctionName,
}

/// A function that a step asks to be called, with the arguments as JSON.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCall {
    pub(crate) reference: FunctionReference,
    pub(crate) args: String,
}

read_by_parsing!(InvalidId, NAME_FORM: FunctionName);

/// Reads the field `functionDefinitions`.
pub(super) fn definitions(object: &mut ObjectReader<'_, '_>, dialect: Dialect) -> Vec<Function> {
    let read = |value: &Value, at: &Pointer, problems: &mut Problems| match dialect {
        Dialect::Strict => plain(value, at, problems),
        Dialect::Classic => with_parameters(value, at, problems),
    };
    object.list_by("functionDefinitions", DECLARATIONS_MAX, read)
}

fn plain(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Function> {
    let mut object = ObjectReader::open(value, at, problems)?;
    let name = object.required("name");
    let definition = object.required::<Prose<BLOCK_BYTES_MAX>>("definition");
    object.finish();
    Some(Function { at: at.clone(), name: name?, definition: definition?.into_string() })
}

/// Reads a function. Its parameters become part of its definition, because that is what an agent reads.
fn with_parameters(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Function> {
    let mut object = ObjectReader::open(value, at, problems)?;
    let name = object.required("name");
    let definition = object.required::<BoundedText<BLOCK_BYTES_MAX>>("definition");
    let parameters: Vec<Parameter> = object.list("parameters", DECLARATIONS_MAX);
    // The scope of a function follows from its position in the file; the field is only checked.
    if object.raw("scope").is_some() {
        object.one_of("scope", &SCOPES);
    }
    object.finish();
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
        let name = object.required::<BoundedText<NAME_BYTES_MAX>>("name");
        let kind = object.one_of("type", &PARAMETER_TYPES);
        let required = object.optional("required").unwrap_or(false);
        let description = object.optional::<BoundedText<DESCRIPTION_BYTES_MAX>>("description");
        let (allowed, default) = (object.raw("enum"), object.raw("default"));
        object.finish();
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

/// Reads the field `functionReferences`. The classic dialect also takes `name` for `name()`.
pub(super) fn references(
    object: &mut ObjectReader<'_, '_>,
    dialect: Dialect,
) -> Vec<FunctionReference> {
    let read = |value: &Value, at: &Pointer, problems: &mut Problems| {
        let reference = text(value, at, problems)?;
        let name = match (reference.strip_suffix("()"), dialect) {
            (Some(name), _) => name,
            (None, Dialect::Classic) => reference,
            (None, Dialect::Strict) => {
                let reason = format!("`{reference}` does not end with `()`");
                problems.report(at, ProblemCode::InvalidId, reason, "write `name()`");
                return None;
            }
        };
        named(name, at, problems)
    };
    object.list_by("functionReferences", DECLARATIONS_MAX, read)
}

fn named(name: &str, at: &Pointer, problems: &mut Problems) -> Option<FunctionReference> {
    let name = parsed(name, at, (ProblemCode::InvalidId, NAME_FORM), problems)?;
    Some(FunctionReference { at: at.clone(), name })
}

impl FromSource for FunctionCall {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let name = object.required::<BoundedText<NAME_BYTES_MAX>>("name");
        let at = object.at("name");
        let reference =
            name.and_then(|name| named(name.as_str().trim_end_matches("()"), &at, object.problems));
        let args = object.json_text("args");
        object.finish();
        Some(Self { reference: reference?, args: args.unwrap_or_default() })
    }
}
