//! The context that `exec` is given.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use futures_util::StreamExt as _;
use piton_models::{Answer, AnswerPart, ModelClient, Request};
use serde_json::{Map, Value};

use super::context::Protected;
use super::error::NodeError;
use crate::flow::bounds::TRACED_REQUESTS_MAX;
use crate::flow::event::{EventKind, Tap};
use crate::flow::large_numbers::{LargeNumbers, keep_as_text};
use crate::flow::tool::{ToolResult, Tools};

/// Everything that a node may use while it works: models, tools, and the number of the attempt. No backpack.
pub struct Exec<'a> {
    pub(crate) attempt: u32,
    pub(crate) params: &'a Map<String, Value>,
    pub(crate) models: &'a dyn ModelClient,
    pub(crate) tools: &'a Tools,
    pub(crate) tap: &'a Tap,
    pub(crate) protected: &'a Protected,
    pub(crate) sent: Mutex<Vec<Request>>,
    pub(crate) chunks: AtomicUsize,
}

impl Exec<'_> {
    /// Returns the number of the attempt, starting at 1.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the parameters of this pass through the flow.
    pub const fn params(&self) -> &Map<String, Value> {
        self.params
    }

    /// Returns the tools of the run.
    pub const fn tools(&self) -> &Tools {
        self.tools
    }

    /// Asks a model. The request becomes part of the trace as it was sent.
    pub async fn ask(&self, request: &Request) -> Result<Answer, NodeError> {
        self.note(request);
        Ok(self.models.complete(request).await?)
    }

    /// Asks a model, and emits each piece of the answer as an event when it arrives.
    pub async fn ask_in_pieces(&self, request: &Request) -> Result<Answer, NodeError> {
        self.note(request);
        let mut parts = self.models.stream(request);
        while let Some(part) = parts.next().await {
            match part? {
                AnswerPart::Text(text) => self.chunk(&text),
                AnswerPart::Done(answer) => return Ok(*answer),
            }
        }
        Err(NodeError::new("the model's answer ended without an end"))
    }

    /// Calls a tool of the run by name. Numbers that JSON readers would not preserve are returned as texts.
    pub async fn call_tool(&self, name: &str, arguments: &Value) -> Result<Value, NodeError> {
        let result = self.tools.call(name, arguments).await;
        let result = result.map(|result| self.storable(name, result));
        // Without listeners, skip the copy of the arguments.
        if self.tap.is_heard() {
            let text = arguments.to_string();
            let arguments = if self.protected.is_any() {
                withheld(&text)
            } else {
                crate::flow::event::cut(&text)
            };
            self.tap.tell(EventKind::ToolCall {
                tool: name.to_owned(),
                arguments,
                succeeded: result.is_ok(),
                result_bytes: result.as_ref().map_or(0, |value| value.to_string().len()),
            });
        }
        result.map_err(|error| NodeError::new(error.to_string()))
    }

    /// Converts a result to a form that can be stored. Changes to the value are reported as warnings.
    fn storable(&self, tool: &str, ToolResult { mut value, numbers_kept }: ToolResult) -> Value {
        let LargeNumbers { whole, floats, float_texts } = keep_as_text(&mut value);
        // A tool that reports its own conversions has already saved the digits; otherwise parsing has rounded them.
        let (kept, rounded) = match numbers_kept {
            Some(kept) => (kept + whole + float_texts, 0),
            None => (whole, floats),
        };
        if kept > 0 {
            self.tap.warn(&format!(
                "`{tool}` gave back numbers beyond 2^53, which JSON readers round; {kept} kept as texts"
            ));
        }
        if rounded > 0 {
            self.tap.warn(&format!(
                "`{tool}` gave back {rounded} numbers beyond 64 bits; their last digits are lost, unless it sends them as texts"
            ));
        }
        value
    }

    fn chunk(&self, text: &str) {
        if !self.tap.is_heard() {
            return;
        }
        let index = self.chunks.fetch_add(1, Ordering::Relaxed);
        let text = if self.protected.is_any() { withheld(text) } else { text.to_owned() };
        self.tap.tell(EventKind::ModelChunk { index, text });
    }

    fn note(&self, request: &Request) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if sent.len() < TRACED_REQUESTS_MAX {
            sent.push(request.clone());
        }
        // Released before the event is emitted, so that listeners never run under this lock.
        drop(sent);
        if self.tap.is_heard() {
            self.tap.tell(EventKind::ModelRequest {
                messages: request.messages.len(),
                bytes: request.messages.iter().map(piton_models::Message::bytes).sum(),
            });
        }
    }
}

fn withheld(text: &str) -> String {
    format!("[withheld, {} bytes]", text.len())
}
