//! Reading the parameters of a node.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::template::Template;
use crate::flow::config::ParamProblem;

/// Splits the parameters into those called `names` and the others.
pub(super) fn split(
    params: &Map<String, Value>,
    names: &[&str],
) -> (Map<String, Value>, Map<String, Value>) {
    let entries = params.clone().into_iter();
    entries.partition(|(name, _)| names.contains(&name.as_str()))
}

/// Deserializes parameters as a `T`.
pub(super) fn read<T: DeserializeOwned>(params: Map<String, Value>) -> Result<T, ParamProblem> {
    serde_json::from_value(Value::Object(params))
        .map_err(|error| ParamProblem::new("", error.to_string()))
}

/// Parses a parameter that is a template.
pub(super) fn template(name: &str, text: &str) -> Result<Template, ParamProblem> {
    Template::parse(text).map_err(|message| ParamProblem::new(name, message))
}

/// Checks a parameter that is a key.
pub(super) fn key(name: &str, text: &str) -> Result<(), ParamProblem> {
    crate::Key::parse(text).map(drop).map_err(|error| ParamProblem::new(name, error.to_string()))
}

/// Wraps a single problem into a list.
pub(super) fn all<T>(one: Result<T, ParamProblem>) -> Result<T, Vec<ParamProblem>> {
    one.map_err(|problem| vec![problem])
}

/// Returns both values, or the problems of both.
pub(super) fn both<A, B>(
    first: Result<A, Vec<ParamProblem>>,
    second: Result<B, ParamProblem>,
) -> Result<(A, B), Vec<ParamProblem>> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(problems), Ok(_)) => Err(problems),
        (Ok(_), Err(problem)) => Err(vec![problem]),
        (Err(mut problems), Err(problem)) => {
            problems.push(problem);
            Err(problems)
        }
    }
}
