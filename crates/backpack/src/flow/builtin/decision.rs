//! `decision`: a model chooses where the flow continues.
//!
//! The model is made to call a tool whose argument is one of the choices. Models that cannot call tools answer in
//! words; an answer that names exactly one of the choices is accepted as well.

use piton_models::{Answer, ToolChoice, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::model_query::{ModelQuery, key_problem, prepared, unless};
use super::node_types::{BuiltinNode, NodeWork};
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::node::{Action, Exec, NodeContext, NodeError, condition_problem};

const TOOL: &str = "decide";

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Choices {
    choices: Vec<Choice>,
    #[serde(default = "decision")]
    output: String,
}

fn decision() -> String {
    "decision".to_owned()
}

/// One direction in which the flow can continue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Choice {
    pub(super) action: String,
    /// A description of the case in which it is right.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) when: String,
}

pub(super) struct Decision {
    asking: ModelQuery,
    choices: Vec<Choice>,
}

pub(super) fn build(
    request: &BuildRequest<'_>,
) -> Result<BuiltinNode<Decision>, Vec<ParamProblem>> {
    let (asking, Choices { choices, output }) = ModelQuery::read_with(request, checked)?;
    let work = Decision { asking, choices };
    Ok(BuiltinNode { work, output, params: request.params.clone() })
}

fn checked(own: Choices) -> Result<Choices, Vec<ParamProblem>> {
    let Choices { choices, output } = &own;
    let mut problems = Vec::new();
    if choices.len() < 2 {
        problems.push(ParamProblem::new("choices", "a decision has at least two choices"));
    }
    for (index, choice) in choices.iter().enumerate() {
        let path = format!("choices[{index}].action");
        if let Some(problem) = condition_problem(&choice.action) {
            problems.push(ParamProblem::new(&path, problem));
        }
        if choices[..index].iter().any(|before| before.action == choice.action) {
            problems
                .push(ParamProblem::new(&path, format!("`{}` is there already", choice.action)));
        }
    }
    problems.extend(key_problem("output", output));
    unless(problems, own)
}

/// Prepares a request that makes a model choose. The prompt contains `before` first.
pub(super) async fn choosing(
    asking: &ModelQuery,
    context: &NodeContext,
    choices: &[Choice],
    before: String,
) -> Result<Value, NodeError> {
    let mut request = asking.request(context, &(before + &describe_choices(choices))).await?;
    request.tools = vec![tool(choices)];
    request.tool_choice = ToolChoice::Named { name: TOOL.to_owned() };
    prepared(&request)
}

/// Describes the choices for the prompt of a model.
fn describe_choices(choices: &[Choice]) -> String {
    let lines = choices.iter().map(|choice| {
        if choice.when.is_empty() {
            format!("- {}", choice.action)
        } else {
            format!("- {}: {}", choice.action, choice.when)
        }
    });
    format!("\n\nChoose one, and answer with its name:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Builds the tool that makes a model choose.
fn tool(choices: &[Choice]) -> ToolSpec {
    let names: Vec<&str> = choices.iter().map(|choice| choice.action.as_str()).collect();
    ToolSpec {
        name: TOOL.to_owned(),
        description: "Says which choice is right.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "choice": { "type": "string", "enum": names },
                "reason": { "type": "string", "description": "Why, in one sentence." },
            },
            "required": ["choice"],
        }),
    }
}

/// Returns the choice in an answer, with its reason.
pub(super) fn chosen(answer: &Answer, choices: &[Choice]) -> Result<(String, String), NodeError> {
    let known = |name: &str| choices.iter().any(|choice| choice.action == name);
    if let Some(call) = answer.tool_calls.iter().find(|call| call.name == TOOL)
        && let Some(name) = call.arguments["choice"].as_str().filter(|name| known(name))
    {
        let reason = call.arguments["reason"].as_str().unwrap_or_default();
        return Ok((name.to_owned(), reason.to_owned()));
    }
    // Without a usable call, accept an answer in words if it names exactly one of the choices.
    let words = |letter: char| !(letter.is_alphanumeric() || "_-".contains(letter));
    let mut named: Vec<&str> = answer.text.split(words).filter(|word| known(word)).collect();
    named.dedup();
    match named.as_slice() {
        [name] => Ok(((*name).to_owned(), String::new())),
        [] => Err(NodeError::new("the model chose none of the choices")),
        _ => Err(NodeError::new("the model named several choices")),
    }
}

impl NodeWork for Decision {
    fn type_name(&self) -> &'static str {
        "decision"
    }

    fn actions(&self) -> Vec<Action> {
        self.choices.iter().map(|choice| Action::named(&choice.action)).collect()
    }

    async fn prep(&self, context: &NodeContext) -> Result<Value, NodeError> {
        choosing(&self.asking, context, &self.choices, String::new()).await
    }

    async fn exec(&self, prepared: &Value, exec: &Exec<'_>) -> Result<Value, NodeError> {
        let answer = self.asking.ask(prepared, exec).await?;
        let (action, reason) = chosen(&answer, &self.choices)?;
        Ok(json!({ "action": action, "reason": reason }))
    }

    fn next(&self, result: &Value) -> Action {
        Action::named(result["action"].as_str().unwrap_or_default())
    }
}
