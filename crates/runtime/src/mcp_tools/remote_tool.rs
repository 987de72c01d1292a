//! A tool of another server.

use std::sync::Arc;
use std::time::Duration;

use piton_backpack::flow::{BoxFuture, Tool, ToolResult};
use piton_models::ToolSpec;
use rmcp::model::{CallToolRequestParams, CallToolResult, Tool as TheirTool};
use serde_json::{Value, json};

use super::connect::Session;
use super::message::numbers_kept;
use crate::bounds::MCP_CALL_MS_MAX;

/// Maximum length of a tool name that model providers accept.
const NAME_BYTES_MAX: usize = 64;

/// A tool that is called over MCP.
pub(super) struct RemoteTool {
    spec: ToolSpec,
    name: String,
    session: Arc<Session>,
}

impl RemoteTool {
    pub(super) fn new(server: &str, tool: &TheirTool, session: Arc<Session>) -> Self {
        let description = tool.description.as_deref().unwrap_or_default();
        let parameters = Value::Object((*tool.input_schema).clone());
        let spec = ToolSpec {
            name: plain(&format!("{server}_{}", tool.name)),
            description: description.to_owned(),
            parameters,
        };
        Self { spec, name: tool.name.to_string(), session }
    }

    async fn ask(&self, arguments: &Value) -> Result<ToolResult, String> {
        let mut params = CallToolRequestParams::new(self.name.clone());
        if let Value::Object(arguments) = arguments {
            params = params.with_arguments(arguments.clone());
        }
        let asked = self.session.service.call_tool(params);
        let late = |_| format!("the server gave no answer within {MCP_CALL_MS_MAX} ms");
        let patience = Duration::from_millis(MCP_CALL_MS_MAX);
        let answered = tokio::time::timeout(patience, asked).await.map_err(late)?;
        outcome(answered.map_err(|error| self.session.problem(&error))?)
    }
}

impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call<'a>(&'a self, arguments: &'a Value) -> BoxFuture<'a, Result<ToolResult, String>> {
        Box::pin(self.ask(arguments))
    }
}

/// Returns the content of a result: the structured part if there is one, otherwise its text.
fn outcome(result: CallToolResult) -> Result<ToolResult, String> {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    let words = texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n");
    // The server answered, but its tool failed. Its words are the reason.
    if result.is_error == Some(true) {
        return Err(if words.is_empty() { "it gives no reason".to_owned() } else { words });
    }
    let numbers_kept = numbers_kept(&result);
    let value = result.structured_content.unwrap_or_else(|| json!(words));
    Ok(ToolResult { value, numbers_kept })
}

/// Replaces every character that models may not use in the name of a tool.
fn plain(name: &str) -> String {
    let letter = |letter: char| {
        if letter.is_ascii_alphanumeric() || "_-".contains(letter) { letter } else { '_' }
    };
    let mut name: String = name.chars().map(letter).collect();
    name.truncate(NAME_BYTES_MAX);
    name
}
