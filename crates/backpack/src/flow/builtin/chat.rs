//! `chat` and `final_answer`: a model answers.

use piton_models::{Message, Request};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::agent::Transcript;
use super::model_query::{FIELDS, ModelQuery, all, both, key, prepared, read, split};
use super::template::render_value;
use crate::flow::action::Action;
use crate::flow::bounds::BATCH_PROMPTS_BYTES_MAX;
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::node::{BoxFuture, Exec, Node, NodeContext, NodeError, Shape};

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChatOutput {
    #[serde(default = "answer")]
    output: String,
}

fn answer() -> String {
    "answer".to_owned()
}

/// Asks a model and packs its answer.
#[derive(Clone)]
pub(super) struct Chat {
    pub(super) asking: ModelQuery,
    pub(super) output: String,
    /// Set when the flow ends with this node.
    pub(super) last: bool,
    /// The calls that an agent made so far, if this answers for one.
    pub(super) transcript: Option<Transcript>,
    pub(super) params: Map<String, Value>,
}

pub(super) fn build(request: &BuildRequest<'_>, last: bool) -> Result<Chat, Vec<ParamProblem>> {
    let (asked, rest) = split(request.params, &FIELDS);
    let output =
        read::<ChatOutput>(rest).and_then(|rest| key("output", &rest.output).map(|()| rest));
    let (asking, ChatOutput { output }) = both(ModelQuery::read(asked), output)?;
    Ok(Chat { asking, output, last, transcript: None, params: request.params.clone() })
}

impl Node for Chat {
    fn type_name(&self) -> &'static str {
        if self.last { "final_answer" } else { "chat" }
    }

    fn params(&self) -> Map<String, Value> {
        self.params.clone()
    }

    fn actions(&self) -> Option<Vec<Action>> {
        Some(vec![if self.last { Action::End } else { Action::Default }])
    }

    fn prep<'a>(&'a self, context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move {
            let more = Transcript::render_call(self.transcript.as_ref(), context).await?;
            prepared(&self.asking.request(context, &more).await?)
        })
    }

    fn exec<'a>(
        &'a self,
        prepared: &'a Value,
        exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(self.asking.answer(prepared, exec))
    }

    fn post<'a>(
        &'a self,
        context: &'a NodeContext,
        _: &'a Value,
        result: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(async move {
            context.pack(&self.output, &result).await?;
            Ok(if self.last { Action::End } else { Action::Default })
        })
    }
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChatEachParams {
    over: String,
    #[serde(default)]
    parallel: bool,
    #[serde(default = "answers")]
    output: String,
}

fn answers() -> String {
    "answers".to_owned()
}

/// Asks a model about each entry of a list.
struct ChatEach {
    asking: ModelQuery,
    over: String,
    parallel: bool,
    output: String,
    params: Map<String, Value>,
}

pub(super) fn build_each(
    request: &BuildRequest<'_>,
) -> Result<impl Node + 'static, Vec<ParamProblem>> {
    let (asked, rest) = split(request.params, &FIELDS);
    let (asking, ChatEachParams { over, parallel, output }) =
        both(ModelQuery::read(asked), read(rest))?;
    let ((), ()) = both(all(key("over", &over)), key("output", &output))?;
    Ok(ChatEach { asking, over, parallel, output, params: request.params.clone() })
}

/// Appends an entry to the prompt of the request.
fn about(request: &Request, entry: &Value) -> Request {
    let mut request = request.clone();
    if let Some(Message::User { text }) = request.messages.last_mut() {
        text.push_str("\n\n");
        text.push_str(&render_value(entry));
    }
    request
}

impl Node for ChatEach {
    fn type_name(&self) -> &'static str {
        "chat_each"
    }

    fn params(&self) -> Map<String, Value> {
        self.params.clone()
    }

    fn actions(&self) -> Option<Vec<Action>> {
        Some(vec![Action::Default])
    }

    fn shape(&self) -> Shape {
        if self.parallel { Shape::Parallel } else { Shape::Batch }
    }

    fn prep<'a>(&'a self, context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async move {
            let Value::Array(entries) = context.unpack_required(&self.over).await? else {
                let message = format!("what lies under `{}` is no list", self.over);
                return Err(NodeError::wrong_value(&self.over, message));
            };
            let request = self.asking.request(context, "").await?;
            let bytes: usize = request.messages.iter().map(Message::bytes).sum();
            // All prompts are held at once, so check their estimated size before building them.
            let bytes = bytes.saturating_mul(entries.len());
            if bytes > BATCH_PROMPTS_BYTES_MAX {
                let count = entries.len();
                return Err(NodeError::new(format!(
                    "the prompts for {count} entries have {bytes} bytes; {BATCH_PROMPTS_BYTES_MAX} are taken"
                )));
            }
            entries.iter().map(|entry| prepared(&about(&request, entry))).collect()
        })
    }

    fn exec<'a>(
        &'a self,
        prepared: &'a Value,
        exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(self.asking.answer(prepared, exec))
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
