//! `chat` and `final_answer`: a model answers.

use piton_models::{Message, Request};
use serde::Deserialize;
use serde_json::Value;

use super::agent::Transcript;
use super::model_query::{ModelQuery, key_problem, prepared, unless};
use super::node_types::{BuiltinNode, NodeWork};
use super::template::render_value;
use crate::flow::bounds::BATCH_PROMPTS_BYTES_MAX;
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::node::{Action, Exec, NodeContext, NodeError, Shape};

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChatOutput {
    #[serde(default = "answer")]
    output: String,
}

fn answer() -> String {
    "answer".to_owned()
}

/// Asks a model for an answer.
pub(super) struct Chat {
    pub(super) asking: ModelQuery,
    /// Set when the flow ends with this node.
    pub(super) last: bool,
    /// The calls that an agent made so far, if this answers for one.
    pub(super) transcript: Option<Transcript>,
}

pub(super) fn build(
    request: &BuildRequest<'_>,
    last: bool,
) -> Result<BuiltinNode<Chat>, Vec<ParamProblem>> {
    let (asking, output) = ModelQuery::read_with(request, |ChatOutput { output }| {
        unless(key_problem("output", &output).into_iter().collect(), output)
    })?;
    let work = Chat { asking, last, transcript: None };
    Ok(BuiltinNode { work, output, params: request.params.clone() })
}

impl NodeWork for Chat {
    fn type_name(&self) -> &'static str {
        if self.last { "final_answer" } else { "chat" }
    }

    fn actions(&self) -> Vec<Action> {
        vec![self.next(&Value::Null)]
    }

    async fn prep(&self, context: &NodeContext) -> Result<Value, NodeError> {
        let more = Transcript::render_call(self.transcript.as_ref(), context).await?;
        prepared(&self.asking.request(context, &more).await?)
    }

    async fn exec(&self, prepared: &Value, exec: &Exec<'_>) -> Result<Value, NodeError> {
        self.asking.answer(prepared, exec).await
    }

    fn next(&self, _: &Value) -> Action {
        if self.last { Action::End } else { Action::Default }
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
pub(super) struct ChatEach {
    asking: ModelQuery,
    over: String,
    parallel: bool,
}

pub(super) fn build_each(
    request: &BuildRequest<'_>,
) -> Result<BuiltinNode<ChatEach>, Vec<ParamProblem>> {
    let (asking, own) = ModelQuery::read_with(request, |own: ChatEachParams| {
        let keys = [("over", &own.over), ("output", &own.output)];
        unless(keys.iter().filter_map(|(name, text)| key_problem(name, text)).collect(), own)
    })?;
    let ChatEachParams { over, parallel, output } = own;
    let work = ChatEach { asking, over, parallel };
    Ok(BuiltinNode { work, output, params: request.params.clone() })
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

impl NodeWork for ChatEach {
    fn type_name(&self) -> &'static str {
        "chat_each"
    }

    fn shape(&self) -> Shape {
        if self.parallel { Shape::Parallel } else { Shape::Batch }
    }

    async fn prep(&self, context: &NodeContext) -> Result<Value, NodeError> {
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
    }

    async fn exec(&self, prepared: &Value, exec: &Exec<'_>) -> Result<Value, NodeError> {
        self.asking.answer(prepared, exec).await
    }
}
