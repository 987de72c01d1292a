//! What came of a call, as the protocol carries it.
//!
//! *Invariants*: the structured content is what is recorded, and the first text says the same for a model. What is
//! true of one call only is a second text.

use piton_core::{Envelope, Retry};
use piton_runtime::reply::{
    Beside, CheckpointAnswer, InspectedWorkflow, ListedWorkflows, ResumeCandidates, RunAnswer,
};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

/// What came of a call.
pub(crate) trait Answer {
    fn answer(&self) -> CallToolResult;
}

impl Answer for ListedWorkflows {
    fn answer(&self) -> CallToolResult {
        told(self, self.text(), None)
    }
}

impl Answer for InspectedWorkflow {
    fn answer(&self) -> CallToolResult {
        told(self, self.text(), None)
    }
}

impl Answer for RunAnswer {
    fn answer(&self) -> CallToolResult {
        told(&self.body, self.text(), Some(&self.beside))
    }
}

impl Answer for CheckpointAnswer {
    fn answer(&self) -> CallToolResult {
        told(&self.body, self.text(), Some(&self.beside))
    }
}

impl Answer for ResumeCandidates {
    fn answer(&self) -> CallToolResult {
        told(self, self.text(), None)
    }
}

fn told<T: Serialize>(structured: &T, text: String, beside: Option<&Beside>) -> CallToolResult {
    let beside = beside.and_then(Beside::text);
    let texts = [Some(text), beside].into_iter().flatten();
    let mut result = CallToolResult::success(texts.map(ContentBlock::text).collect());
    result.structured_content = Some(json(structured));
    result
}

/// That a call failed, with what to do about it.
pub(crate) fn failed(envelope: &Envelope) -> CallToolResult {
    let Envelope { code, message, suggestion, retry, .. } = envelope;
    let retry = match retry {
        Retry::NotRetryable => "The same call will fail again.".to_owned(),
        Retry::RetryableImmediate => "The same call may work at once.".to_owned(),
        Retry::RetryableAfterMs { after_ms } => {
            format!("The same call may work after {after_ms} ms.")
        }
    };
    let text = format!("{code}: {message}\n\n{suggestion}\n{retry}");
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(json(envelope));
    result
}

fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("replies have text keys and finite numbers")
}
