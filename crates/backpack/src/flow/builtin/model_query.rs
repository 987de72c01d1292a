//! Queries to a model: the provider, the model and the prompt.

use piton_core::Pattern;
use piton_models::{Answer, Message, Options, ProviderName, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::template::{Template, render_value};
use crate::flow::config::ParamProblem;
use crate::flow::node::{Exec, NodeContext, NodeError};

/// The parameters of every node that asks a model.
pub(super) const FIELDS: [&str; 7] =
    ["provider", "model", "system", "prompt", "context", "options", "stream"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct QueryParams {
    provider: Option<ProviderName>,
    model: Option<String>,
    system: Option<String>,
    prompt: String,
    #[serde(default)]
    context: Vec<Pattern>,
    #[serde(default)]
    options: Options,
    #[serde(default)]
    stream: bool,
}

/// The settings with which a node asks a model.
#[derive(Clone, Debug)]
pub(super) struct ModelQuery {
    provider: Option<ProviderName>,
    model: Option<String>,
    system: Option<Template>,
    prompt: Template,
    context: Vec<Pattern>,
    options: Options,
    stream: bool,
}

impl ModelQuery {
    pub(super) fn read(params: Map<String, Value>) -> Result<Self, Vec<ParamProblem>> {
        let raw: QueryParams = read(params).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        if let Some(problem) = raw.options.problem() {
            problems.push(ParamProblem::new("", problem));
        }
        let mut keep = |parsed: Result<Template, ParamProblem>| {
            parsed.map_err(|problem| problems.push(problem)).ok()
        };
        let system = raw.system.as_deref().map(|text| keep(template("system", text)));
        let prompt = keep(template("prompt", &raw.prompt));
        let Some(prompt) = prompt.filter(|_| problems.is_empty()) else { return Err(problems) };
        Ok(Self {
            provider: raw.provider,
            model: raw.model,
            system: system.flatten(),
            prompt,
            context: raw.context,
            options: raw.options,
            stream: raw.stream,
        })
    }

    /// Builds the request from all values that the prompt names and the node may read, with `more` at its end.
    pub(super) async fn request(
        &self,
        context: &NodeContext,
        more: &str,
    ) -> Result<Request, NodeError> {
        let mut messages = Vec::new();
        if let Some(system) = &self.system {
            messages.push(Message::system(system.fill(context).await?));
        }
        let mut prompt = self.prompt.fill(context).await?;
        for pattern in &self.context {
            for (key, value) in context.unpack_by_namespace::<Value>(pattern.as_str()).await? {
                prompt.push_str(&["\n\n", key.as_str(), ":\n", &render_value(&value)].concat());
            }
        }
        prompt.push_str(more);
        messages.push(Message::user(prompt));
        let (provider, model) = (self.provider.clone(), self.model.clone());
        Ok(Request { provider, model, options: self.options.clone(), ..Request::new(messages) })
    }

    /// Sends a prepared request.
    pub(super) async fn ask(&self, prepared: &Value, exec: &Exec<'_>) -> Result<Answer, NodeError> {
        let request: Request = serde_json::from_value(prepared.clone())
            .map_err(|error| NodeError::new(format!("what was prepared is no request: {error}")))?;
        if self.stream { exec.ask_in_pieces(&request).await } else { exec.ask(&request).await }
    }

    /// Sends a prepared request and returns the text of the answer.
    pub(super) async fn answer(
        &self,
        prepared: &Value,
        exec: &Exec<'_>,
    ) -> Result<Value, NodeError> {
        let answer = self.ask(prepared, exec).await?;
        if answer.text.is_empty() {
            return Err(NodeError::new("the model answered without words"));
        }
        Ok(Value::from(answer.text))
    }
}

/// Converts a request to the value that `prep` returns.
pub(super) fn prepared(request: &Request) -> Result<Value, NodeError> {
    serde_json::to_value(request)
        .map_err(|error| NodeError::new(format!("the request is no JSON: {error}")))
}

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
