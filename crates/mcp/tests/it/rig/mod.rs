//! What the tests stand on: a machine, and two raw clients.

mod machine;
mod pipe;
mod web;

use serde_json::{Value, json};

pub(crate) use machine::Machine;
pub(crate) use pipe::Pipe;
pub(crate) use web::{Reply, Web};

/// Every revision of the protocol, the oldest first.
pub(crate) const REVISIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", STATELESS];

/// The first revision without a handshake.
pub(crate) const STATELESS: &str = "2026-07-28";

/// A request. From the revision without a handshake on, each says who asks.
pub(crate) fn request(revision: &str, id: u64, method: &str, params: Value) -> Value {
    request_with(revision, id, method, params, &json!({}))
}

/// The same, of a client that can do something.
pub(crate) fn request_with(
    revision: &str,
    id: u64,
    method: &str,
    mut params: Value,
    capabilities: &Value,
) -> Value {
    if revision == STATELESS {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// What a client says first.
pub(crate) fn hello(revision: &str) -> Value {
    hello_with(revision, &json!({}))
}

/// The same, of a client that can do something.
pub(crate) fn hello_with(revision: &str, capabilities: &Value) -> Value {
    let client = json!({ "name": "raw", "version": "1" });
    json!({ "protocolVersion": revision, "capabilities": capabilities, "clientInfo": client })
}

/// Result of a call that reached its tool.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) structured: Value,
    /// For the model.
    pub(crate) text: String,
    /// What is true of this call only.
    pub(crate) beside: Option<String>,
    pub(crate) is_error: bool,
}

impl Answer {
    pub(crate) fn of(response: &Value) -> Self {
        let result = response.get("result").unwrap_or_else(|| panic!("no result: {response}"));
        let text = |place: usize| result["content"][place]["text"].as_str().map(str::to_owned);
        Self {
            structured: result["structuredContent"].clone(),
            text: text(0).expect("a first text"),
            beside: text(1),
            is_error: result["isError"] == true,
        }
    }

    /// A text of the structured content.
    pub(crate) fn at(&self, pointer: &str) -> String {
        let found = self.structured.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_else(|| panic!("no {pointer} in {}", self.structured)).to_owned()
    }

    pub(crate) fn code(&self) -> String {
        assert!(self.is_error, "{}", self.text);
        self.at("/code")
    }
}
