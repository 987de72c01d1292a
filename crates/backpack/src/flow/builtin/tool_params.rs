//! `tool_params`: a model writes the arguments of a tool.
//!
//! The model is made to call the tool, but the call is not executed: its arguments are checked and packed. Models that
//! cannot call tools may answer with the arguments as JSON.

use piton_models::{Answer, Request, ToolChoice};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::model_query::{FIELDS, ModelQuery, prepared};
use super::params::{all, both, key, read, split};
use super::tool_call::Which;
use super::transcript::Transcript;
use crate::flow::action::Action;
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::node::{BoxFuture, Exec, Node, NodeContext, NodeError};
use crate::flow::tool::keep_as_text;

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToolParamsConfig {
    tool: Option<String>,
    tool_from: Option<String>,
    #[serde(default = "arguments")]
    output: String,
}

fn arguments() -> String {
    "arguments".to_owned()
}

/// Lets a model write the arguments of a tool.
pub(super) struct ToolParams {
    pub(super) asking: ModelQuery,
    pub(super) which: Which,
    pub(super) output: String,
    pub(super) transcript: Option<Transcript>,
    pub(super) params: Map<String, Value>,
}

pub(super) fn build(request: &BuildRequest<'_>) -> Result<ToolParams, Vec<ParamProblem>> {
    let (asked, rest) = split(request.params, &FIELDS);
    let (asking, ToolParamsConfig { tool, tool_from, output }) =
        both(ModelQuery::read(asked), read(rest))?;
    let which = Which::read(tool, tool_from, request.registry.tools());
    let (which, ()) = both(all(which), key("output", &output))?;
    Ok(ToolParams { asking, which, output, transcript: None, params: request.params.clone() })
}

impl Node for ToolParams {
    fn type_name(&self) -> &'static str {
        "tool_params"
    }

    fn params(&self) -> Map<String, Value> {
        self.params.clone()
    }

    fn actions(&self) -> Option<Vec<Action>> {
        Some(vec![Action::Default])
    }

    fn prep<'a>(&'a self, context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move {
            let tool = self.which.name(context).await?;
            let mut more = Transcript::render_call(self.transcript.as_ref(), context).await?;
            more.push_str(&["\n\nCall the tool `", &tool, "` with the right arguments."].concat());
            let request = self.asking.request(context, &more).await?;
            Ok(json!({ "tool": tool, "request": prepared(&request)? }))
        })
    }

    fn exec<'a>(
        &'a self,
        prepared_: &'a Value,
        exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move {
            let tool = prepared_["tool"].as_str().unwrap_or_default();
            let spec =
                exec.tools().spec(tool).map_err(|error| NodeError::new(error.to_string()))?;
            let mut request: Request = serde_json::from_value(prepared_["request"].clone())
                .map_err(|error| NodeError::new(error.to_string()))?;
            request.tools = vec![spec.clone()];
            request.tool_choice = ToolChoice::Named { name: tool.to_owned() };
            let answer = self.asking.ask(&prepared(&request)?, exec).await?;
            let mut arguments = written(&answer, tool).ok_or_else(|| {
                NodeError::new(format!("the model wrote no arguments for `{tool}`"))
            })?;
            keep_as_text(&mut arguments);
            let checked = exec.tools().check(tool, &arguments);
            checked.map(|()| arguments).map_err(|error| NodeError::new(error.to_string()))
        })
    }

    fn post<'a>(
        &'a self,
        context: &'a NodeContext,
        _: &'a Value,
        result: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(async move {
            context.pack(&self.output, &result).await?;
            Ok(Action::Default)
        })
    }
}

/// Returns the arguments in an answer: those of the call, otherwise the JSON object in its text.
fn written(answer: &Answer, tool: &str) -> Option<Value> {
    if let Some(call) = answer.tool_calls.iter().find(|call| call.name == tool) {
        return Some(call.arguments.clone());
    }
    let (start, end) = (answer.text.find('{')?, answer.text.rfind('}')?);
    serde_json::from_str(answer.text.get(start..=end)?).ok()
}
