//! `agent`: a model calls tools until it has the answer.
//!
//! The node is a flow: `decide` chooses a tool or the answer, `params` writes the arguments, `call` calls the tool,
//! `note` adds the call to what the model reads next, and `answer` ends it. Each step is therefore a node of its own in
//! the history, in events, and when a run is resumed.

use piton_models::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::chat::Chat;
use super::decision::{Choice, choosing, chosen};
use super::model_query::{ModelQuery, key_problem, unless};
use super::node_types::BuiltinNode;
use super::template::render_value;
use super::tool_call::{OnError, ToolArguments, ToolCallNode, ToolParams, Which};
use crate::Key;
use crate::flow::bounds::AGENT_CALLS_DEFAULT;
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::error::Error;
use crate::flow::graph::{Flow, NodeSettings};
use crate::flow::node::{Action, BoxFuture, Exec, Node, NodeContext, NodeError, RetryRule};
use crate::flow::tool::{TOOLS_COME_FROM, Tools};

const ANSWER: &str = "answer";

/// Asks a model again if its output is unusable.
const MODEL_RETRY: RetryRule = RetryRule { attempts: 2, wait_ms: 0 };

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AgentParams {
    tools: Vec<String>,
    #[serde(default = "calls")]
    calls_max: u64,
    #[serde(default = "answer")]
    output: String,
}

const fn calls() -> u64 {
    AGENT_CALLS_DEFAULT
}

fn answer() -> String {
    ANSWER.to_owned()
}

pub(super) fn build(request: &BuildRequest<'_>) -> Result<Flow, Vec<ParamProblem>> {
    let (asking, (raw, mut choices)) = ModelQuery::read_with(request, |raw: AgentParams| {
        let (choices, problems) = tool_choices(&raw, request.registry.tools());
        unless(problems, (raw, choices))
    })?;
    let when = "nothing more has to be found out".to_owned();
    choices.push(Choice { action: ANSWER.to_owned(), when });
    assemble(request.id, &asking, choices, &raw)
        .map_err(|error| vec![ParamProblem::new("", error.to_string())])
}

/// Returns a choice for each tool of an agent, and the problems with its parameters.
fn tool_choices(raw: &AgentParams, tools: &Tools) -> (Vec<Choice>, Vec<ParamProblem>) {
    let mut problems = Vec::new();
    if raw.tools.is_empty() {
        problems.push(ParamProblem::new("tools", "an agent has at least one tool"));
    }
    let mut choices = Vec::new();
    for (index, name) in raw.tools.iter().enumerate() {
        let taken = if name == ANSWER {
            Some("`answer` is what the agent chooses when it is done; a tool needs another name")
        } else {
            raw.tools[..index].contains(name).then_some("it is there already")
        };
        if let Some(words) = taken {
            problems.push(ParamProblem::new(format!("tools[{index}]"), words));
            continue;
        }
        match tools.spec(name) {
            Ok(ToolSpec { description, .. }) => {
                choices.push(Choice { action: name.clone(), when: description.clone() });
            }
            Err(error) => {
                let words = format!("{error}; {TOOLS_COME_FROM}");
                problems.push(ParamProblem::new(format!("tools[{index}]"), words));
            }
        }
    }
    problems.extend(key_problem("output", &raw.output));
    (choices, problems)
}

/// Builds the flow of an agent. Its nodes exchange values under keys that begin with the agent's id.
fn assemble(
    id: &str,
    asking: &ModelQuery,
    choices: Vec<Choice>,
    raw: &AgentParams,
) -> Result<Flow, Error> {
    let under = |name: &str| format!("{id}.{name}");
    let transcript = Transcript { key: under("calls") };
    let chosen_tool = under("tool");
    let decide = Decide {
        asking: asking.clone(),
        choices,
        calls_max: raw.calls_max,
        transcript: transcript.clone(),
        tool: chosen_tool.clone(),
    };
    let params = ToolParams {
        asking: asking.clone(),
        which: Which::From(chosen_tool.clone()),
        transcript: Some(transcript.clone()),
    };
    let call = ToolCallNode {
        which: Which::From(chosen_tool.clone()),
        arguments: ToolArguments::From(under("arguments")),
        on_error: OnError::Pack,
    };
    let (arguments, result) = (under("arguments"), under("result"));
    let note = Note { tool: chosen_tool, arguments, result, transcript: transcript.clone() };
    let last = Chat { asking: asking.clone(), last: true, transcript: Some(transcript) };
    let retried = || NodeSettings { retry: MODEL_RETRY, ..NodeSettings::default() };
    let mut flow = Flow::new();
    flow.own_keys = ["calls", "tool", "arguments", "result"]
        .iter()
        .map(|name| Key::parse(&under(name)))
        .collect::<Result<_, _>>()
        .map_err(|error| Error::invalid("id", error.to_string()))?;
    let decide = flow.add_with("decide", decide, retried())?;
    let params = flow.add_with("params", part(params, under("arguments")), retried())?;
    let call = flow.add("call", part(call, under("result")))?;
    let note = flow.add("note", note)?;
    let answer = flow.add_with(ANSWER, part(last, raw.output.clone()), retried())?;
    flow.on(decide, "call", params)?;
    flow.on(decide, ANSWER, answer)?;
    flow.next(params, call)?;
    flow.next(call, note)?;
    flow.next(note, decide)?;
    Ok(flow)
}

/// Builds a node that is part of an agent, and packs its result under `output`.
fn part<W>(work: W, output: String) -> BuiltinNode<W> {
    BuiltinNode { work, output, params: Map::new() }
}

/// Chooses a tool, or the answer.
struct Decide {
    asking: ModelQuery,
    choices: Vec<Choice>,
    calls_max: u64,
    transcript: Transcript,
    tool: String,
}

impl Node for Decide {
    fn type_name(&self) -> &'static str {
        "agent_decide"
    }

    fn prep<'a>(&'a self, context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move {
            let calls = self.transcript.calls(context).await?.len();
            if u64::try_from(calls).unwrap_or(u64::MAX) >= self.calls_max {
                context.warn("the agent has called as many tools as it may, and has to answer");
                // `exec` takes null for the decision to answer, without asking the model.
                return Ok(Value::Null);
            }
            let before = self.transcript.render(context).await?;
            choosing(&self.asking, context, &self.choices, before).await
        })
    }

    fn exec<'a>(
        &'a self,
        prepared: &'a Value,
        exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move {
            if prepared.is_null() {
                return Ok(json!(ANSWER));
            }
            let answer = self.asking.ask(prepared, exec).await?;
            chosen(&answer, &self.choices).map(|(name, _)| json!(name))
        })
    }

    fn post<'a>(
        &'a self,
        context: &'a NodeContext,
        _: &'a Value,
        result: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(async move {
            if result == ANSWER {
                return Ok(Action::named(ANSWER));
            }
            context.pack(&self.tool, &result).await?;
            Ok(Action::named("call"))
        })
    }
}

/// Adds a call to what the model reads next.
struct Note {
    tool: String,
    arguments: String,
    result: String,
    transcript: Transcript,
}

impl Node for Note {
    fn type_name(&self) -> &'static str {
        "agent_note"
    }

    fn post<'a>(
        &'a self,
        context: &'a NodeContext,
        _: &'a Value,
        _: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(async move {
            let called = Called {
                tool: context.unpack_required(&self.tool).await?,
                arguments: context.unpack_required(&self.arguments).await?,
                result: context.unpack_required(&self.result).await?,
            };
            let mut calls = self.transcript.calls(context).await?;
            calls.push(called);
            context.pack(&self.transcript.key, &calls).await?;
            Ok(Action::Default)
        })
    }
}

/// One call of a tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Called {
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) result: Value,
}

/// The calls of one agent, stored under one key.
#[derive(Clone, Debug)]
pub(super) struct Transcript {
    pub(super) key: String,
}

impl Transcript {
    /// Returns the calls so far.
    pub(super) async fn calls(&self, context: &NodeContext) -> Result<Vec<Called>, NodeError> {
        Ok(context.unpack(&self.key).await?.unwrap_or_default())
    }

    /// Renders the calls of an agent, or nothing without a transcript.
    pub(super) async fn render_call(
        transcript: Option<&Self>,
        context: &NodeContext,
    ) -> Result<String, NodeError> {
        match transcript {
            None => Ok(String::new()),
            Some(transcript) => transcript.render(context).await,
        }
    }

    /// Renders the calls as text, or nothing if there were none.
    pub(super) async fn render(&self, context: &NodeContext) -> Result<String, NodeError> {
        let calls = self.calls(context).await?;
        if calls.is_empty() {
            return Ok(String::new());
        }
        let lines = calls.iter().enumerate().map(|(index, call)| {
            let number = index + 1;
            format!(
                "{number}. {}({}) gave {}",
                call.tool,
                call.arguments,
                render_value(&call.result)
            )
        });
        Ok(format!("\n\nTools called so far:\n{}", lines.collect::<Vec<_>>().join("\n")))
    }
}
