//! A raw client over HTTP.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use piton_mcp::{Listener, ServerBuilder, Stopped, Token, serve_http};
use piton_store::port::Replies;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Answer, STATELESS, hello, request};

/// A reply that takes longer never comes.
const GIVE_UP: Duration = Duration::from_mins(1);

pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Stopped>,
    revision: &'static str,
    session: Option<String>,
    last_id: u64,
}

/// A reply, whatever its status.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { dechunked(body) } else { body.to_owned() };
        Self { status, head: head.to_owned(), body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The messages in it, as JSON or as events.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if let Ok(message) = serde_json::from_str(&self.body) {
            return vec![message];
        }
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
    }
}

fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

impl Web {
    /// A server on this machine.
    pub(crate) async fn serve(offer: impl Into<ServerBuilder>, token: Option<&str>) -> Self {
        let token = token.map(|token| Token::parse(token).unwrap());
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), token).await.unwrap();
        Self::at(listener, offer, "2025-11-25")
    }

    /// A server that keeps replies, and a client of a revision before its handshake.
    pub(crate) async fn keeping(
        offer: impl Into<ServerBuilder>,
        replies: Arc<dyn Replies>,
        revision: &'static str,
    ) -> Self {
        Self::keeping_with_token(offer, replies, revision, None).await
    }

    /// The same, of a server that may ask for a token.
    pub(crate) async fn keeping_with_token(
        offer: impl Into<ServerBuilder>,
        replies: Arc<dyn Replies>,
        revision: &'static str,
        token: Option<&str>,
    ) -> Self {
        let token = token.map(|token| Token::parse(token).unwrap());
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), token).await.unwrap();
        Self::at(listener.keeping(replies), offer, revision)
    }

    fn at(listener: Listener, offer: impl Into<ServerBuilder>, revision: &'static str) -> Self {
        let address = listener.address();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(serve_http(listener, offer.into(), async {
            let _ = stopped.await;
        }));
        Self { address, stop, server, revision, session: None, last_id: 0 }
    }

    /// A client of a revision, after its handshake.
    pub(crate) async fn of_revision(
        offer: impl Into<ServerBuilder>,
        revision: &'static str,
    ) -> Self {
        Self::named(offer, revision, &hello(revision)).await
    }

    /// The same, of a client that says who it is.
    pub(crate) async fn named(
        offer: impl Into<ServerBuilder>,
        revision: &'static str,
        hello: &Value,
    ) -> Self {
        let mut web = Self::serve(offer, None).await;
        web.revision = revision;
        web.greet(hello).await;
        web
    }

    /// The handshake, where the revision has one.
    pub(crate) async fn greet(&mut self, hello: &Value) {
        if self.revision != STATELESS {
            let hello = request(self.revision, 0, "initialize", hello.clone());
            let reply = self.post(&hello, &[]).await;
            let agreed = &reply.messages()[0]["result"]["protocolVersion"];
            assert_eq!(agreed, self.revision, "{reply:?}");
            self.session = reply.header("mcp-session-id").map(str::to_owned);
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            assert_eq!(self.post(&ready, &[]).await.status, 202);
        }
    }

    /// Posts a message with these headers instead of the usual ones of the same name.
    pub(crate) async fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Reply {
        self.post_bytes(message.to_string().as_bytes(), message, headers).await
    }

    pub(crate) async fn post_bytes(
        &self,
        body: &[u8],
        message: &Value,
        headers: &[(&str, &str)],
    ) -> Reply {
        let host = format!("127.0.0.1:{}", self.address.port());
        let method = message["method"].as_str().unwrap_or_default();
        let mut all = vec![
            ("Host", host.as_str()),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Connection", "close"),
        ];
        let is_hello = method == "initialize";
        if !is_hello {
            all.push(("MCP-Protocol-Version", self.revision));
        }
        if self.revision == STATELESS {
            all.push(("Mcp-Method", method));
            all.extend(message["params"]["name"].as_str().map(|name| ("Mcp-Name", name)));
        }
        all.extend(self.session.as_deref().map(|id| ("Mcp-Session-Id", id)));
        all.retain(|(name, _)| headers.iter().all(|(other, _)| other != name));
        all.extend(headers);
        self.exchange("POST /mcp", &all, body).await
    }

    /// One request as it is, and all that comes back.
    pub(crate) async fn exchange(
        &self,
        line: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut head = format!("{line} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        head.push_str("\r\n");
        let (mut read, mut write) = TcpStream::connect(self.address).await.unwrap().into_split();
        let body = body.to_owned();
        // A server that refuses a body does not read it to its end.
        let sending = tokio::spawn(async move {
            let _ = write.write_all(head.as_bytes()).await;
            let _ = write.write_all(&body).await;
            write
        });
        let mut bytes = Vec::new();
        let reading =
            timeout(GIVE_UP, read.read_to_end(&mut bytes)).await.expect("a reply in time");
        drop(sending);
        assert!(reading.is_ok() || !bytes.is_empty(), "{reading:?}");
        Reply::parse(&bytes)
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let message = request(self.revision, self.last_id, method, params);
        let reply = self.post(&message, &[]).await;
        let found = reply.messages().into_iter().find(|message| message["id"] == self.last_id);
        found.unwrap_or_else(|| panic!("no reply in {reply:?}"))
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let params = json!({ "name": tool, "arguments": arguments });
        Answer::of(&self.request("tools/call", params).await)
    }

    /// Asks the server to stop and waits until it did.
    pub(crate) async fn stop(self) -> Stopped {
        self.stop.send(()).unwrap();
        timeout(GIVE_UP, self.server).await.expect("the server ends").unwrap()
    }
}
