//! What a client is told that sent something which is no message.

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::TxJsonRpcMessage;
use serde_json::Value;

/// The refusal of what cannot be read as a message.
pub(crate) fn refusal_of(bytes: &[u8]) -> TxJsonRpcMessage<RoleServer> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(value) => {
            let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
            let words = "This is JSON, but not a JSON-RPC 2.0 request with an id and a method.";
            refusal(ErrorCode::INVALID_REQUEST, words, id)
        }
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let words = format!("This is not JSON in UTF-8: line {line}, column {column}.");
            refusal(ErrorCode::PARSE_ERROR, words, None)
        }
    }
}

/// An error of the protocol.
pub(crate) fn refusal(
    code: ErrorCode,
    words: impl Into<std::borrow::Cow<'static, str>>,
    id: Option<RequestId>,
) -> TxJsonRpcMessage<RoleServer> {
    TxJsonRpcMessage::<RoleServer>::error(ErrorData::new(code, words, None), id)
}
