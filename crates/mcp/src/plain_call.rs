//! Parses a tool call in the form that clients usually send, in one pass.
//!
//! The protocol's own types determine the kind of a message by trying one shape after another, which takes longer than
//! most calls do. Nearly every message is a call, so that shape is tried first.
//!
//! *Invariants*: a line that is accepted here means the same as when the protocol's types parse it. Everything else,
//! such as a call that brings the answer of a person, is left to them.

use std::borrow::Cow;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientRequest, ConstString as _,
    JsonObject, JsonRpcMessage, RequestId, RequestMetaObject,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;

/// Version of JSON-RPC that the protocol uses.
const JSON_RPC: &str = "2.0";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainLine<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    id: RequestId,
    #[serde(borrow)]
    method: Cow<'a, str>,
    params: Params,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    name: String,
    #[serde(default)]
    arguments: Option<JsonObject>,
    #[serde(rename = "_meta", default)]
    meta: Option<JsonObject>,
}

/// Parses a line as a call. Returns `None` if it is not one, or not in its plainest form.
pub(crate) fn read(line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
    let line: PlainLine<'_> = serde_json::from_slice(line).ok()?;
    if line.jsonrpc != JSON_RPC || line.method != CallToolRequestMethod::VALUE {
        return None;
    }
    let mut params = CallToolRequestParams::new(line.params.name);
    params.arguments = line.params.arguments;
    let mut request = CallToolRequest::new(params);
    if let Some(meta) = line.params.meta {
        request.extensions.insert(RequestMetaObject::from(meta));
    }
    Some(JsonRpcMessage::request(ClientRequest::CallToolRequest(request), line.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a line with the protocol's own types.
    fn by_the_protocol(line: &str) -> Option<String> {
        let message: Option<RxJsonRpcMessage<RoleServer>> = serde_json::from_str(line).ok();
        message.map(|message| format!("{message:?}"))
    }

    #[test]
    fn a_plain_call_is_read_as_the_protocol_reads_it() {
        let lines = [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"/a"}}}"#,
            r#"{"method":"tools/call","id":"x","jsonrpc":"2.0","params":{"arguments":{"n":1.5,"deep":[{"a":null}]},"name":"é\n"}}"#,
            r#"{"jsonrpc":"2.0","id":-7,"method":"tools\/call","params":{"name":"ls","_meta":{"progressToken":3,"x":{}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":null,"_meta":null}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"","arguments":{}}}"#,
        ];
        for line in lines {
            let read = read(line.as_bytes()).map(|message| format!("{message:?}"));
            assert!(read.is_some(), "{line}");
            assert_eq!(read, by_the_protocol(line), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_protocol() {
        let lines = [
            "",
            "[]",
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"read"}}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"read"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"read"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"read"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","requestState":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}} {}"#,
        ];
        for line in lines {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }
}
