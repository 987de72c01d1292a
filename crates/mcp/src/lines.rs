//! Messages as lines of a pipe.
//!
//! *Invariants*: a line that is too long is never held whole. What cannot be read is answered, and the next line
//! counts: whoever waits for a reply gets one. Notifications are never answered, and until the client has said which
//! revision it speaks they are passed over: one that takes back a call it never made does not end the connection.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{
    ClientRequest, ErrorCode, ErrorData, GetMeta as _, JsonRpcMessage, ProtocolVersion, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty};

use crate::bounds::MESSAGE_BYTES_MAX;
use crate::passing::{Passing, Waits};
use crate::plain_call;

/// A pipe that carries one message a line.
pub(crate) struct Lines<R, W: AsyncWrite> {
    read: BufReader<R>,
    /// The beginning of the line that is being read. A reading that is given up goes on from here.
    line: Vec<u8>,
    /// What is seen of the line that is being read, if it is too long and passed over.
    passing: Option<Passing>,
    /// Whether the client has said which revision it speaks.
    is_begun: bool,
    write: AsyncRwTransport<RoleServer, Empty, W>,
}

/// What a pipe brought.
enum Brought {
    Line(Vec<u8>),
    TooLong(Passing),
    End,
}

/// What a line says.
enum Said {
    Message(RxJsonRpcMessage<RoleServer>),
    Refused(TxJsonRpcMessage<RoleServer>),
    Nothing,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            passing: None,
            is_begun: false,
            write: AsyncRwTransport::new_server(tokio::io::empty(), write),
        }
    }

    /// Whether a message means anything. Before the client has begun, only requests do.
    fn counts(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.is_begun };
        self.is_begun |= begins(&request.request);
        true
    }

    /// The next line. May be given up at any wait and asked again.
    async fn next(&mut self) -> Brought {
        loop {
            let available = match self.read.fill_buf().await {
                Ok([]) | Err(_) => return Brought::End,
                Ok(available) => available,
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = &available[..end.unwrap_or(available.len())];
            let consumed = end.map_or(available.len(), |end| end + 1);
            if let Some(passing) = &mut self.passing {
                passing.see(taken);
            } else if self.line.len() + taken.len() > MESSAGE_BYTES_MAX {
                let passing = self.passing.insert(Passing::default());
                passing.see(&std::mem::take(&mut self.line));
                passing.see(taken);
            } else {
                self.line.extend_from_slice(taken);
            }
            self.read.consume(consumed);
            if end.is_some() {
                return match self.passing.take() {
                    Some(passing) => Brought::TooLong(passing),
                    None => Brought::Line(std::mem::take(&mut self.line)),
                };
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.write.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let said = match self.next().await {
                Brought::End => return None,
                Brought::TooLong(passed) => too_long(passed),
                Brought::Line(line) => read(&line),
            };
            match said {
                Said::Message(message) if self.counts(&message) => return Some(message),
                Said::Refused(refusal) => self.write.send(refusal).await.ok()?,
                Said::Message(_) | Said::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.write.close().await
    }
}

/// Whether a request says which revision the client speaks: by a handshake, or by itself.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let is_whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            let known = ProtocolVersion::KNOWN_VERSIONS;
            is_whole && meta.protocol_version().is_some_and(|spoken| known.contains(&spoken))
        }
    }
}

fn read(line: &[u8]) -> Said {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Said::Nothing;
    }
    if let Some(call) = plain_call::read(line) {
        return Said::Message(call);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Said::Message(message);
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(value) if value.get("method").is_some() && value.get("id").is_none() => Said::Nothing,
        Ok(value) => {
            let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
            let words = "This is JSON, but not a JSON-RPC 2.0 request with an id and a method.";
            Said::Refused(refusal(ErrorCode::INVALID_REQUEST, words, id))
        }
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let words = format!("This is not JSON in UTF-8: line {line}, column {column}.");
            Said::Refused(refusal(ErrorCode::PARSE_ERROR, words, None))
        }
    }
}

fn too_long(passed: Passing) -> Said {
    let Waits::Somebody(id) = passed.waits() else { return Said::Nothing };
    let words = format!(
        "A message of more than {MESSAGE_BYTES_MAX} bytes was passed over. Send less at once: a long file in parts, with `append`."
    );
    Said::Refused(refusal(ErrorCode::INVALID_REQUEST, words, id))
}

fn refusal(
    code: ErrorCode,
    words: impl Into<std::borrow::Cow<'static, str>>,
    id: Option<RequestId>,
) -> TxJsonRpcMessage<RoleServer> {
    TxJsonRpcMessage::<RoleServer>::error(ErrorData::new(code, words, None), id)
}
