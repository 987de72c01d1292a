//! The trait of tools, and a tool built from a function.

use piton_core::Envelope;
use piton_models::{BoxFuture, ToolSpec};
use serde_json::Value;

/// A function that a flow node can call.
///
/// Contract: arguments have been checked against the schema before `call`. A failure is described so that a model or a
/// person can act on it, and contains no secret.
pub trait Tool: Send + Sync {
    /// Returns the name, the description and the parameters of the tool.
    fn spec(&self) -> &ToolSpec;

    /// Checks that everything the tool works on is there. Called before a run begins, so that a problem is reported
    /// before anything is recorded.
    fn ready(&self) -> BoxFuture<'_, Result<(), Envelope>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Calls the tool.
    fn call<'a>(&'a self, arguments: &'a Value) -> BoxFuture<'a, Result<ToolResult, String>>;
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    pub value: Value,
    /// Number of values that became texts because no JSON reader would have kept their digits. `None` if such numbers
    /// were rounded before anyone could check them.
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
    /// Creates a tool called `name` whose arguments `parameters` describes.
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
