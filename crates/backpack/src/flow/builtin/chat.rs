//! `chat` and `final_answer`: a model answers.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::model_query::{FIELDS, ModelQuery, prepared};
use super::params::{both, key, read, split};
use super::transcript::Transcript;
use crate::flow::action::Action;
use crate::flow::config::{BuildRequest, ParamProblem};
use crate::flow::node::{BoxFuture, Exec, Node, NodeContext, NodeError};

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
