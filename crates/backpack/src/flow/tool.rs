//! Tools that flow nodes call: functions in Rust, or anything that an adapter puts behind the same trait.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::Envelope;
use piton_models::bounds::TOOL_NAME_BYTES_MAX;
use piton_models::{BoxFuture, ToolSpec};
use serde_json::Value;

use crate::flow::bounds::TOOL_RESULT_BYTES_MAX;
use crate::flow::schema::Schema;

/// Tools by name. Cheap to clone.
#[derive(Clone, Default)]
pub struct Tools {
    tools: BTreeMap<String, KnownTool>,
}

#[derive(Clone)]
struct KnownTool {
    tool: Arc<dyn Tool>,
    parameters: Arc<Schema>,
}

impl Tools {
    /// Creates an empty set of tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a tool. A second tool of the same name is refused: a model could not tell them apart.
    pub fn register(&mut self, tool: Arc<dyn Tool>) -> Result<(), ToolError> {
        let spec = tool.spec();
        let name = spec.name.clone();
        let refused = |problem: String| ToolError::Refused { name: name.clone(), problem };
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        let fits = (1..=TOOL_NAME_BYTES_MAX).contains(&name.len());
        if !fits || !name.chars().all(plain) {
            return Err(refused(format!(
                "a name has 1 to {TOOL_NAME_BYTES_MAX} letters, digits, `_` and `-`"
            )));
        }
        if self.tools.contains_key(&name) {
            return Err(refused("there is one of that name already".to_owned()));
        }
        let parameters = Arc::new(Schema::compile(&spec.parameters).map_err(&refused)?);
        self.tools.insert(name, KnownTool { tool, parameters });
        Ok(())
    }

    /// True if there is a tool with that name.
    pub fn contains(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// Returns the names of all tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// Returns the specification of a tool.
    pub fn spec(&self, name: &str) -> Result<&ToolSpec, ToolError> {
        self.find(name).map(|known| known.tool.spec())
    }

    /// Checks arguments against the schema of a tool.
    pub fn check(&self, name: &str, arguments: &Value) -> Result<(), ToolError> {
        let violations = self.find(name)?.parameters.violations(arguments);
        if violations.is_empty() {
            return Ok(());
        }
        Err(ToolError::Arguments { name: name.to_owned(), problems: violations.join("; ") })
    }

    /// Checks that everything the tools work on is there. Returns the problem of the first tool that lacks something.
    pub async fn ready(&self) -> Result<(), Envelope> {
        for known in self.tools.values() {
            known.tool.ready().await?;
        }
        Ok(())
    }

    /// Calls a tool with checked arguments, and limits the size of its result.
    pub async fn call(&self, name: &str, arguments: &Value) -> Result<ToolResult, ToolError> {
        self.check(name, arguments)?;
        let called = self.find(name)?.tool.call(arguments).await;
        let failed = |message| ToolError::Failed { name: name.to_owned(), message };
        let result = called.map_err(failed)?;
        let measured = result.value.to_string().len();
        if measured > TOOL_RESULT_BYTES_MAX {
            return Err(ToolError::TooLarge { name: name.to_owned(), measured });
        }
        Ok(result)
    }

    fn find(&self, name: &str) -> Result<&KnownTool, ToolError> {
        self.tools.get(name).ok_or_else(|| ToolError::Unknown {
            name: name.to_owned(),
            known: if self.tools.is_empty() {
                "none".to_owned()
            } else {
                self.names().collect::<Vec<_>>().join(", ")
            },
        })
    }
}

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

/// The origin of tools that a flow lacks, as the end of a message about one.
pub(crate) const TOOLS_COME_FROM: &str =
    "tools come from the MCP servers of --tools FILE, and from Workspaces";

/// Reasons that a tool returned nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// There is no tool with this name.
    #[error("there is no tool `{name}`; there is: {known}")]
    Unknown {
        name: String,
        /// The names of all tools.
        known: String,
    },
    /// The arguments do not match the tool's schema.
    #[error("the arguments of `{name}` are refused: {problems}")]
    Arguments {
        name: String,
        /// All problems, each with its path.
        problems: String,
    },
    /// The tool failed.
    #[error("`{name}` failed: {message}")]
    Failed {
        name: String,
        /// The message of the tool.
        message: String,
    },
    /// The result is too large.
    #[error("`{name}` gave back {measured} bytes; {TOOL_RESULT_BYTES_MAX} are taken")]
    TooLarge { name: String, measured: usize },
    /// The tool cannot be registered.
    #[error("the tool `{name}` cannot be registered: {problem}")]
    Refused { name: String, problem: String },
}
