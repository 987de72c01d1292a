//! The middleware form, for an agent loop in Rust that calls models and tools itself.

use piton_core::tool_card::ToolCard;
use piton_store::port::BoxFuture;
use serde_json::Value;

use super::{CallReply, card};
use crate::files::Files;
use crate::scope::Tool;

/// The file-related parts of a request to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelCall {
    /// Text before the conversation.
    pub system: String,
    /// Tools that the model may call.
    pub tools: Vec<ToolCard>,
}

/// A tool call that a model requests.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelToolCall {
    pub name: String,
    pub arguments: Value,
}

/// A layer between an agent loop and its model and tools.
///
/// An implementation promises that calls it does not know pass through untouched.
pub trait Middleware: Send + Sync {
    /// Adds to the request to the model.
    fn wrap_model_call(&self, call: ModelCall) -> ModelCall;

    /// Answers a call of the model, or passes it to `next`.
    fn wrap_tool_call<'a>(
        &'a self,
        call: ModelToolCall,
        next: &'a (dyn Fn(ModelToolCall) -> BoxFuture<'a, CallReply> + Send + Sync),
    ) -> BoxFuture<'a, CallReply>;
}

const START: &str = "<filesystem-map>\n";
const END: &str = "</filesystem-map>\n";

/// Files as a middleware. It adds the Filesystem Map and the tools before each call of the model, and performs or
/// refuses the operations at each call of a tool.
#[derive(Clone)]
pub struct FilesMiddleware {
    files: Files,
}

impl FilesMiddleware {
    /// Creates a middleware for one agent.
    pub fn new(files: Files) -> Self {
        Self { files }
    }
}

impl Middleware for FilesMiddleware {
    /// Puts the map at the end of the system text, replaces an earlier one, and adds the tools that can succeed.
    fn wrap_model_call(&self, mut call: ModelCall) -> ModelCall {
        // The map of an earlier call is removed, so that the system text does not grow with each turn.
        if let (Some(start), Some(end)) = (call.system.find(START), call.system.find(END))
            && start < end
        {
            call.system.replace_range(start..end + END.len(), "");
        }
        if !call.system.is_empty() && !call.system.ends_with('\n') {
            call.system.push('\n');
        }
        let map = self.files.workspaces().map();
        call.system.push_str(&[START, &map, END].concat());
        let offered = self.files.workspaces().tools();
        call.tools.retain(|card| !offered.iter().any(|tool| tool.as_str() == card.name));
        call.tools.extend(offered.into_iter().map(|tool| card(tool).clone()));
        call
    }

    fn wrap_tool_call<'a>(
        &'a self,
        call: ModelToolCall,
        next: &'a (dyn Fn(ModelToolCall) -> BoxFuture<'a, CallReply> + Send + Sync),
    ) -> BoxFuture<'a, CallReply> {
        if call.name.parse::<Tool>().is_err() {
            return next(call);
        }
        Box::pin(async move { self.files.call(&call.name, call.arguments).await })
    }
}
