//! The middleware form: for an agent loop in Rust that calls models and tools itself.

use serde_json::Value;

use super::{CallReply, ToolCard, cards};
use crate::files::Files;

/// What is sent to a model, as far as files are concerned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelCall {
    /// What stands before the conversation.
    pub system: String,
    /// The tools that the model may call.
    pub tools: Vec<ToolCard>,
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelToolCall {
    /// The name of the tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// What stands between an agent loop and its model and tools.
///
/// Promise: what it does not know passes through untouched.
pub trait Middleware: Send + Sync {
    /// Adds to what is sent to the model.
    fn wrap_model_call(&self, call: ModelCall) -> ModelCall;

    /// Answers a call of the model, or hands it to `next`.
    fn wrap_tool_call<'a>(
        &'a self,
        call: ModelToolCall,
        next: &'a (
                dyn Fn(ModelToolCall) -> piton_store::port::BoxFuture<'a, CallReply> + Send + Sync
            ),
    ) -> piton_store::port::BoxFuture<'a, CallReply>;
}

const START: &str = "<filesystem-map>\n";
const END: &str = "</filesystem-map>\n";

/// Files as a middleware: the Filesystem Map and the tools before each call of the model, the
/// operations or their refusal at each call of a tool.
#[derive(Clone)]
pub struct FilesMiddleware {
    files: Files,
}

impl FilesMiddleware {
    /// A middleware for one agent.
    pub fn new(files: Files) -> Self {
        Self { files }
    }
}

impl Middleware for FilesMiddleware {
    /// Puts the map at the end of the system text, in place of one that is there from before, and adds the tools
    /// that can succeed.
    fn wrap_model_call(&self, mut call: ModelCall) -> ModelCall {
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
        call.tools.retain(|card| !offered.contains(&card.tool));
        call.tools.extend(cards(&offered));
        call
    }

    fn wrap_tool_call<'a>(
        &'a self,
        call: ModelToolCall,
        next: &'a (
                dyn Fn(ModelToolCall) -> piton_store::port::BoxFuture<'a, CallReply> + Send + Sync
            ),
    ) -> piton_store::port::BoxFuture<'a, CallReply> {
        if call.name.parse::<crate::scope::Tool>().is_err() {
            return next(call);
        }
        Box::pin(async move { self.files.call(&call.name, call.arguments).await })
    }
}
