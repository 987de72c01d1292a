//! The calls of an agent so far, as its model reads them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::template::render_value;
use crate::flow::node::{NodeContext, NodeError};

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
