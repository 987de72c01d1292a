//! Replies to a client that sent something that is not a message.

use piton_core::error::sentence;
use piton_core::{keep_numbers, refuse_lost_numbers};
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::TxJsonRpcMessage;
use serde_json::Value;

/// Returns the refusal of bytes that cannot be read as a message.
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

/// Returns the refusal of a request with a number that would be lost when the request is read, if it has one.
pub(crate) fn refusal_of_numbers(bytes: &[u8]) -> Option<TxJsonRpcMessage<RoleServer>> {
    let text = str::from_utf8(bytes).ok()?;
    let lost = refuse_lost_numbers(text).err()?;
    let message: Value = serde_json::from_str(&keep_numbers(text).0).ok()?;
    let words = format!("{} Nothing was done.", sentence(&lost.to_string()));
    let id = serde_json::from_value(message.get("id")?.clone()).ok();
    Some(refusal(ErrorCode::INVALID_PARAMS, words, id))
}

/// Creates an error of the protocol.
pub(crate) fn refusal(
    code: ErrorCode,
    words: impl Into<std::borrow::Cow<'static, str>>,
    id: Option<RequestId>,
) -> TxJsonRpcMessage<RoleServer> {
    TxJsonRpcMessage::<RoleServer>::error(ErrorData::new(code, words, None), id)
}
