//! Queries to a model: the provider, the model and the prompt.

use piton_core::Pattern;
use piton_models::{Answer, Message, Options, ProviderName, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::template::{Template, render_value};
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::node::{Exec, NodeContext, NodeError};

/// The parameters of every node that asks a model.
const FIELDS: [&str; 7] = ["provider", "model", "system", "prompt", "context", "options", "stream"];

#[derive(Clone, Debug, Deserialize)]
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
    params: QueryParams,
    system: Option<Template>,
    prompt: Template,
}

impl ModelQuery {
    /// Reads the query and the node's own parameters, which `convert` checks. Returns the problems of both.
    pub(super) fn read_with<T: DeserializeOwned, U>(
        request: &BuildRequest<'_>,
        convert: impl FnOnce(T) -> Result<U, Vec<ParamProblem>>,
    ) -> Result<(Self, U), Vec<ParamProblem>> {
        let entries = request.params.clone().into_iter();
        let (asked, own) = entries.partition(|(name, _)| FIELDS.contains(&name.as_str()));
        match (Self::read(asked), read(own).and_then(convert)) {
            (Ok(query), Ok(own)) => Ok((query, own)),
            (query, own) => Err(query.err().into_iter().chain(own.err()).flatten().collect()),
        }
    }

    fn read(params: Map<String, Value>) -> Result<Self, Vec<ParamProblem>> {
        let params: QueryParams = read(params)?;
        let mut problems = Vec::new();
        if let Some(problem) = params.options.problem() {
            problems.push(ParamProblem::new("", problem));
        }
        let mut template = |name: &str, text: &str| {
            let parsed = Template::parse(text);
            parsed.map_err(|message| problems.push(ParamProblem::new(name, message))).ok()
        };
        let system = params.system.as_deref().and_then(|text| template("system", text));
        let prompt = template("prompt", &params.prompt);
        let Some(prompt) = prompt.filter(|_| problems.is_empty()) else { return Err(problems) };
        Ok(Self { params, system, prompt })
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
        for pattern in &self.params.context {
            for (key, value) in context.unpack_by_namespace::<Value>(pattern.as_str()).await? {
                prompt.push_str(&["\n\n", key.as_str(), ":\n", &render_value(&value)].concat());
            }
        }
        prompt.push_str(more);
        messages.push(Message::user(prompt));
        let QueryParams { provider, model, options, .. } = self.params.clone();
        Ok(Request { provider, model, options, ..Request::new(messages) })
    }

    /// Sends a prepared request.
    pub(super) async fn ask(&self, prepared: &Value, exec: &Exec<'_>) -> Result<Answer, NodeError> {
        let request: Request = serde_json::from_value(prepared.clone())
            .map_err(|error| NodeError::new(format!("what was prepared is no request: {error}")))?;
        if self.params.stream {
            exec.ask_in_pieces(&request).await
        } else {
            exec.ask(&request).await
        }
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

/// Deserializes parameters as a `T`.
pub(super) fn read<T: DeserializeOwned>(
    params: Map<String, Value>,
) -> Result<T, Vec<ParamProblem>> {
    serde_json::from_value(Value::Object(params))
        .map_err(|error| vec![ParamProblem::new("", error.to_string())])
}

/// Returns the problem with a parameter that is a key, if there is one.
pub(super) fn key_problem(name: &str, text: &str) -> Option<ParamProblem> {
    Some(ParamProblem::new(name, crate::Key::parse(text).err()?.to_string()))
}

/// Returns the value, unless there are problems.
pub(super) fn unless<T>(problems: Vec<ParamProblem>, value: T) -> Result<T, Vec<ParamProblem>> {
    if problems.is_empty() { Ok(value) } else { Err(problems) }
}
