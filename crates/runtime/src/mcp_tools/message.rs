//! Parses the messages of a server without losing numbers in the result of a tool. Pure.
//!
//! *Invariants*: only results of tools are changed. The numbers of a schema stay numbers, and so do the ids of
//! messages: ours count from 0.

use piton_core::keep_numbers;
use rmcp::model::{CallToolResult, JsonRpcMessage, ServerJsonRpcMessage, ServerResult};

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
