//! The part of HTTP/1.1 that a model server needs.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Maximum size of a body that is read.
const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Number of times that a dripping server sends something before it hangs up.
const DRIPS: usize = 200;

/// Time between two drips, shorter than any timeout.
const BETWEEN_DRIPS: Duration = Duration::from_millis(5);

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct SeenRequest {
    /// The path of the URL.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl SeenRequest {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Reads the next request on a connection. Returns `None` if the caller hung up or does not speak HTTP.
pub(super) async fn read(stream: &mut BufReader<TcpStream>) -> Option<SeenRequest> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        // The headers end with an empty line, which has no colon.
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse::<usize>().ok()).unwrap_or(0);
    let mut body = vec![0; length.min(BODY_BYTES_MAX)];
    stream.read_exact(&mut body).await.ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(SeenRequest { path, headers, body })
}

/// Sends a whole answer. `announced` is the declared length; a larger one than the body makes the answer a cut one.
pub(super) async fn send(
    stream: &mut BufReader<TcpStream>,
    status: u16,
    extra: &[(&str, String)],
    body: &str,
    announced: usize,
) {
    let extra: String =
        extra.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\n{extra}content-length: {announced}\r\nconnection: close\r\n\r\n"
    );
    // A caller that hung up does not want the rest.
    let _sent = stream.write_all(format!("{head}{body}").as_bytes()).await;
    let _flushed = stream.flush().await;
}

/// Begins an answer that ends with the connection.
pub(super) async fn begin(stream: &mut BufReader<TcpStream>, status: u16, content_type: &str) {
    let head =
        format!("HTTP/1.1 {status} x\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n");
    let _sent = stream.write_all(head.as_bytes()).await;
    let _flushed = stream.flush().await;
}

/// Sends the next piece at once. Returns true if the caller is still there to receive it.
pub(super) async fn piece(stream: &mut BufReader<TcpStream>, piece: &str) -> bool {
    stream.write_all(piece.as_bytes()).await.is_ok() && stream.flush().await.is_ok()
}

/// Sends these pieces over and over, until the caller hangs up.
pub(super) async fn repeat(stream: &mut BufReader<TcpStream>, pieces: &[String]) {
    let mut pieces = pieces.iter().cycle();
    while let Some(next) = pieces.next()
        && piece(stream, next).await
    {}
}

/// Sends spaces at intervals, but not forever.
pub(super) async fn drip(stream: &mut BufReader<TcpStream>) {
    for _ in 0..DRIPS {
        if !piece(stream, " ").await {
            return;
        }
        tokio::time::sleep(BETWEEN_DRIPS).await;
    }
}

/// Waits until the caller hangs up.
pub(super) async fn until_gone(stream: &mut BufReader<TcpStream>) {
    let mut rest = [0; 64];
    while matches!(stream.read(&mut rest).await, Ok(read) if read > 0) {}
}
