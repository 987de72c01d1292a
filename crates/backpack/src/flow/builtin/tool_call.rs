//! `tool_call`: calls a tool and packs its result.

use piton_models::{Answer, Request, ToolChoice};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::agent::Transcript;
use super::model_query::{ModelQuery, key_problem, prepared, read};
use super::node_types::{BuiltinNode, NodeWork};
use super::template::JsonTemplate;
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::large_numbers::keep_as_text;
use crate::flow::node::{Action, Exec, NodeContext, NodeError};
use crate::flow::tool::{TOOLS_COME_FROM, Tools};

piton_core::closed_set! {
    /// What becomes of a tool that failed, after the last attempt.
    pub(super) enum OnError {
        /// What went wrong is packed as the result, for a model to read, and the flow continues as usual.
        Pack => "pack",
        /// The same, and the flow continues with the action `error`.
        Route => "route",
        /// The node fails.
        Fail => "fail",
    }
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToolCallParams {
    tool: Option<String>,
    tool_from: Option<String>,
    arguments: Option<Map<String, Value>>,
    arguments_from: Option<String>,
    #[serde(default = "result")]
    output: String,
    #[serde(default = "pack")]
    on_error: OnError,
}

fn result() -> String {
    "result".to_owned()
}

const fn pack() -> OnError {
    OnError::Pack
}

/// The tool to call: a fixed one, or the one that a key names.
#[derive(Clone, Debug)]
pub(super) enum Which {
    Named(String),
    From(String),
}

impl Which {
    pub(super) fn read(
        tool: Option<String>,
        from: Option<String>,
        tools: &Tools,
    ) -> Result<Self, ParamProblem> {
        match (tool, from) {
            (Some(tool), None) => match tools.spec(&tool) {
                Ok(_) => Ok(Self::Named(tool)),
                Err(error) => Err(ParamProblem::new("tool", format!("{error}; {TOOLS_COME_FROM}"))),
            },
            (None, Some(from)) => key_problem("toolFrom", &from).map_or(Ok(Self::From(from)), Err),
            _ => Err(ParamProblem::new("tool", "either `tool` or `toolFrom` is expected")),
        }
    }

    pub(super) async fn name(&self, context: &NodeContext) -> Result<String, NodeError> {
        match self {
            Self::Named(name) => Ok(name.clone()),
            Self::From(key) => context.unpack_required(key).await,
        }
    }
}

/// Calls a tool.
pub(super) struct ToolCallNode {
    pub(super) which: Which,
    pub(super) arguments: ToolArguments,
    pub(super) on_error: OnError,
}

/// The arguments of the call: a template, or the value under a key.
#[derive(Clone, Debug)]
pub(super) enum ToolArguments {
    Given(JsonTemplate),
    From(String),
}

pub(super) fn build(
    request: &BuildRequest<'_>,
) -> Result<BuiltinNode<ToolCallNode>, Vec<ParamProblem>> {
    let raw: ToolCallParams = read(request.params.clone())?;
    let mut problems = Vec::new();
    let which = Which::read(raw.tool, raw.tool_from, request.registry.tools());
    let which = which.map_err(|problem| problems.push(problem)).ok();
    let arguments = match (raw.arguments, raw.arguments_from) {
        (Some(_), Some(_)) => {
            let message = "either `arguments` or `argumentsFrom` is expected, not both";
            problems.push(ParamProblem::new("arguments", message));
            None
        }
        (None, Some(from)) => {
            problems.extend(key_problem("argumentsFrom", &from));
            Some(ToolArguments::From(from))
        }
        (given, None) => {
            let given = Value::Object(given.unwrap_or_default());
            match JsonTemplate::parse(&given, "arguments") {
                Ok(template) => Some(ToolArguments::Given(template)),
                Err((path, message)) => {
                    problems.push(ParamProblem::new(path, message));
                    None
                }
            }
        }
    };
    problems.extend(key_problem("output", &raw.output));
    // Arguments with placeholders are checked once they are filled, before the tool is called.
    if let (Some(Which::Named(tool)), Some(ToolArguments::Given(JsonTemplate::Plain(given)))) =
        (&which, &arguments)
        && let Err(error) = request.registry.tools().check(tool, given)
    {
        problems.push(ParamProblem::new("arguments", error.to_string()));
    }
    match (which, arguments) {
        (Some(which), Some(arguments)) if problems.is_empty() => {
            let work = ToolCallNode { which, arguments, on_error: raw.on_error };
            Ok(BuiltinNode { work, output: raw.output, params: request.params.clone() })
        }
        _ => Err(problems),
    }
}

impl NodeWork for ToolCallNode {
    fn type_name(&self) -> &'static str {
        "tool_call"
    }

    fn calls_tools(&self) -> bool {
        true
    }

    fn actions(&self) -> Vec<Action> {
        let routed = (self.on_error == OnError::Route).then(|| Action::named("error"));
        [Action::Default].into_iter().chain(routed).collect()
    }

    async fn prep(&self, context: &NodeContext) -> Result<Value, NodeError> {
        let tool = self.which.name(context).await?;
        let arguments = match &self.arguments {
            ToolArguments::Given(given) => given.fill(context).await?.unwrap_or_default(),
            ToolArguments::From(key) => context.unpack_required(key).await?,
        };
        Ok(json!({ "tool": tool, "arguments": arguments }))
    }

    async fn exec(&self, prepared: &Value, exec: &Exec<'_>) -> Result<Value, NodeError> {
        let tool = prepared["tool"].as_str().unwrap_or_default();
        let result = exec.call_tool(tool, &prepared["arguments"]).await?;
        Ok(json!({ "success": true, "result": result }))
    }

    fn fallback(&self, error: NodeError) -> Result<Value, NodeError> {
        match self.on_error {
            OnError::Fail => Err(error),
            OnError::Pack | OnError::Route => {
                Ok(json!({ "success": false, "error": error.message() }))
            }
        }
    }

    fn next(&self, result: &Value) -> Action {
        let failed = result["success"] == false;
        if failed && self.on_error == OnError::Route {
            Action::named("error")
        } else {
            Action::Default
        }
    }
}

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
    pub(super) transcript: Option<Transcript>,
}

pub(super) fn build_params(
    request: &BuildRequest<'_>,
) -> Result<BuiltinNode<ToolParams>, Vec<ParamProblem>> {
    let (asking, (which, output)) = ModelQuery::read_with(request, |own: ToolParamsConfig| {
        let which = Which::read(own.tool, own.tool_from, request.registry.tools());
        let output = key_problem("output", &own.output);
        match (which, output) {
            (Ok(which), None) => Ok((which, own.output)),
            (which, output) => Err(which.err().into_iter().chain(output).collect()),
        }
    })?;
    let work = ToolParams { asking, which, transcript: None };
    Ok(BuiltinNode { work, output, params: request.params.clone() })
}

impl NodeWork for ToolParams {
    fn type_name(&self) -> &'static str {
        "tool_params"
    }

    async fn prep(&self, context: &NodeContext) -> Result<Value, NodeError> {
        let tool = self.which.name(context).await?;
        let mut more = Transcript::render_call(self.transcript.as_ref(), context).await?;
        more.push_str(&["\n\nCall the tool `", &tool, "` with the right arguments."].concat());
        let request = self.asking.request(context, &more).await?;
        Ok(json!({ "tool": tool, "request": prepared(&request)? }))
    }

    async fn exec(&self, prepared_: &Value, exec: &Exec<'_>) -> Result<Value, NodeError> {
        let tool = prepared_["tool"].as_str().unwrap_or_default();
        let spec = exec.tools().spec(tool).map_err(|error| NodeError::new(error.to_string()))?;
        let mut request: Request = serde_json::from_value(prepared_["request"].clone())
            .map_err(|error| NodeError::new(error.to_string()))?;
        request.tools = vec![spec.clone()];
        request.tool_choice = ToolChoice::Named { name: tool.to_owned() };
        let answer = self.asking.ask(&prepared(&request)?, exec).await?;
        let mut arguments = written(&answer, tool)
            .ok_or_else(|| NodeError::new(format!("the model wrote no arguments for `{tool}`")))?;
        keep_as_text(&mut arguments);
        let checked = exec.tools().check(tool, &arguments);
        checked.map(|()| arguments).map_err(|error| NodeError::new(error.to_string()))
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
