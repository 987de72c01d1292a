//! A tool of another server.

use std::sync::Arc;
use std::time::Duration;

use piton_backpack::flow::{BoxFuture, Tool, ToolResult};
use piton_core::keep_numbers;
use piton_models::ToolSpec;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, JsonRpcMessage, ServerJsonRpcMessage, ServerResult,
    Tool as TheirTool,
};
use serde_json::{Value, json};

use super::connect::Session;
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

/// The field of `_meta` that counts the numbers that were turned into text.
const NUMBERS_KEPT: &str = "piton/numbersKept";

/// Parses a message. In the result of a tool, every number that JSON readers would not preserve becomes a string of its
/// characters.
pub(super) fn read(text: &str) -> serde_json::Result<ServerJsonRpcMessage> {
    let mut plain = serde_json::from_str(text);
    // Most messages are no results of tools and need no second look.
    if plain.as_mut().is_ok_and(|message| tool_result(message).is_none()) {
        return plain;
    }
    let (kept, count) = keep_numbers(text);
    // Where the protocol itself requires a number, a string is refused. Then the message stays as it is.
    let Ok(mut message) = serde_json::from_str(&kept) else { return plain };
    if let Some(result) = tool_result(&mut message) {
        result.meta.get_or_insert_default().0.insert(NUMBERS_KEPT.to_owned(), count.into());
    }
    Ok(message)
}

/// Returns the number of numbers in a result that were turned into text; `None` if the result was not examined.
pub(super) fn numbers_kept(result: &CallToolResult) -> Option<usize> {
    let count = result.meta.as_ref()?.0.get(NUMBERS_KEPT)?;
    count.as_u64().and_then(|count| count.try_into().ok())
}

fn tool_result(message: &mut ServerJsonRpcMessage) -> Option<&mut CallToolResult> {
    match message {
        JsonRpcMessage::Response(response) => match &mut response.result {
            ServerResult::CallToolResult(result) => Some(result),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(sent: &str, expected: &str, count: Option<usize>) {
        let mut message = read(sent).unwrap();
        let counted = tool_result(&mut message).map(|result| {
            let count = numbers_kept(result);
            result.meta = None;
            count
        });
        assert_eq!(counted.flatten(), count, "{sent}");
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(serde_json::to_value(message).unwrap(), expected);
    }

    #[test]
    fn only_the_result_of_a_tool_has_texts_for_numbers() {
        let result = |id: &str, content: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"structuredContent":{content}}}}}"#
            )
        };
        check(&result("3", "[1e400,1,0.5]"), &result("3", r#"["1e400",1,0.5]"#), Some(1));
        check(&result("3", "9007199254740993"), &result("3", r#""9007199254740993""#), Some(1));
        check(&result("3", r#""1e400""#), &result("3", r#""1e400""#), Some(0));
        let largest = u32::MAX.to_string();
        check(&result(&largest, "[1e400]"), &result(&largest, r#"["1e400"]"#), Some(1));
        for same in [
            json!({ "jsonrpc": "2.0", "id": i64::MAX, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": [{ "name": "a",
                "inputSchema": { "type": "object", "maximum": u64::MAX } }] } }),
        ] {
            check(&same.to_string(), &same.to_string(), None);
        }
        assert!(read("1e400 }").is_err());
    }
}
