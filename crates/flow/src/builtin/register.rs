//! The table of types.

use super::{agent, chat, chat_each, decision, tool_call, tool_params};
use crate::config::{ParamProblem, Registry};
use crate::error::Error;
use crate::graph::{Body, Flow};
use crate::problem::Severity;

/// Takes in all types that come with Piton.
pub(crate) fn register(registry: &mut Registry) {
    let mut add = |name: &str, factory: fn(&crate::config::BuildRequest<'_>) -> _| {
        registry
            .register(name, factory)
            .expect("the names below differ, and the registry was empty");
    };
    add("chat", |request| chat::build(request, false).map(Body::from));
    add("final_answer", |request| chat::build(request, true).map(Body::from));
    add("chat_each", |request| chat_each::build(request).map(Body::from));
    add("decision", |request| decision::build(request).map(Body::from));
    add("tool_params", |request| tool_params::build(request).map(Body::from));
    add("tool_call", |request| tool_call::build(request).map(Body::from));
    add("agent", |request| agent::build(request).map(Body::from));
    add("flow", inner);
}

/// A flow that is written into the parameters of a node.
fn inner(request: &crate::config::BuildRequest<'_>) -> Result<Body, Vec<ParamProblem>> {
    let Some(value) = request.params.get("flow") else {
        return Err(vec![ParamProblem::new("flow", "it is missing")]);
    };
    let unknown = request.params.keys().find(|name| *name != "flow");
    if let Some(name) = unknown {
        return Err(vec![ParamProblem::new(name, "no such field; the fields are flow")]);
    }
    match Flow::from_value(value, "flow", request.depth + 1, request.registry) {
        Ok(loaded) => Ok(Body::from(loaded.flow)),
        Err(Error::Invalid { problems }) => Err(problems
            .into_iter()
            .filter(|problem| problem.severity == Severity::Error)
            .map(|problem| ParamProblem::new(problem.path, problem.message))
            .collect()),
        Err(error) => Err(vec![ParamProblem::new("flow", error.to_string())]),
    }
}
