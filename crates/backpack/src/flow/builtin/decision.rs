//! `decision`: a model chooses where the flow continues.
//!
//! The model is made to call a tool whose argument is one of the choices. Models that cannot call tools answer in
//! words; an answer that names exactly one of the choices is accepted as well.

use piton_models::{Answer, ToolChoice, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::model_query::{FIELDS, ModelQuery, both, key, prepared, read, split};
use crate::flow::action::{Action, condition_problem};
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::node::{BoxFuture, Exec, Node, NodeContext, NodeError};

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

struct Decision {
    asking: ModelQuery,
    choices: Vec<Choice>,
    output: String,
    params: Map<String, Value>,
}

pub(super) fn build(request: &BuildRequest<'_>) -> Result<impl Node + 'static, Vec<ParamProblem>> {
    let (asked, rest) = split(request.params, &FIELDS);
    let (asking, Choices { choices, output }) = both(ModelQuery::read(asked), read(rest))?;
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
    problems.extend(key("output", &output).err());
    let params = request.params.clone();
    if problems.is_empty() {
        Ok(Decision { asking, choices, output, params })
    } else {
        Err(problems)
    }
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

impl Node for Decision {
    fn type_name(&self) -> &'static str {
        "decision"
    }

    fn params(&self) -> Map<String, Value> {
        self.params.clone()
    }

    fn actions(&self) -> Option<Vec<Action>> {
        Some(self.choices.iter().map(|choice| Action::named(&choice.action)).collect())
    }

    fn prep<'a>(&'a self, context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move { choosing(&self.asking, context, &self.choices, String::new()).await })
    }

    fn exec<'a>(
        &'a self,
        prepared: &'a Value,
        exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move {
            let answer = self.asking.ask(prepared, exec).await?;
            let (action, reason) = chosen(&answer, &self.choices)?;
            Ok(json!({ "action": action, "reason": reason }))
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
            Ok(Action::named(result["action"].as_str().unwrap_or_default()))
        })
    }
}
