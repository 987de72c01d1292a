//! The trait of tools, and a tool made from a function.

use piton_core::Envelope;
use piton_models::{BoxFuture, ToolSpec};
use serde_json::Value;

/// Something that a flow node can call.
///
/// Promise: arguments have been checked against the schema before `call`. A failure is told in words that a model
/// or a person can act on, and holds no secret.
pub trait Tool: Send + Sync {
    /// What it is called, what it does, and what it takes.
    fn spec(&self) -> &ToolSpec;

    /// Whether what it works on is there. Asked before a run begins, so that what is missing is told before anything
    /// is recorded.
    fn ready(&self) -> BoxFuture<'_, Result<(), Envelope>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Calls it.
    fn call<'a>(&'a self, arguments: &'a Value) -> BoxFuture<'a, Result<ToolResult, String>>;
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// What it gave back.
    pub value: Value,
    /// How many numbers of it are texts because no JSON reader would have kept them. `None` if such numbers were
    /// rounded before anybody could look at them.
    pub numbers_kept: Option<usize>,
}

impl From<Value> for ToolResult {
    fn from(value: Value) -> Self {
        Self { value, numbers_kept: Some(0) }
    }
}

type Function = dyn Fn(&Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync;

/// A tool that is a function.
pub struct FunctionTool {
    spec: ToolSpec,
    function: Box<Function>,
}

impl FunctionTool {
    /// A tool called `name` that takes what `parameters` describes.
    pub fn new<F, Fut>(name: &str, description: &str, parameters: Value, function: F) -> Self
    where
        F: Fn(&Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, String>> + Send + 'static,
    {
        let spec =
            ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters };
        let function = move |arguments: &Value| -> BoxFuture<'static, Result<Value, String>> {
            Box::pin(function(arguments))
        };
        Self { spec, function: Box::new(function) }
    }
}

impl Tool for FunctionTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call<'a>(&'a self, arguments: &'a Value) -> BoxFuture<'a, Result<ToolResult, String>> {
        let called = (self.function)(arguments);
        Box::pin(async { called.await.map(ToolResult::from) })
    }
}
