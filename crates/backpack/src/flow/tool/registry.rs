//! The tools of a run, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::Envelope;
use piton_models::ToolSpec;
use piton_models::bounds::TOOL_NAME_BYTES_MAX;
use serde_json::Value;

use super::error::ToolError;
use super::function::{Tool, ToolResult};
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
