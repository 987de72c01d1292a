//! A raw client at the other end of a pipe.

use std::sync::Arc;
use std::time::Duration;

use piton_core::Envelope;
use piton_mcp::{ServerBuilder, serve_pipe};
use piton_runtime::{Runtime, Whereabouts};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Answer, Machine, STATELESS, hello, hello_with, request_with};

/// A reply that takes longer never comes.
const GIVE_UP: Duration = Duration::from_mins(1);

pub(crate) struct Pipe {
    read: BufReader<tokio::io::ReadHalf<DuplexStream>>,
    write: tokio::io::WriteHalf<DuplexStream>,
    server: JoinHandle<Result<(), Envelope>>,
    revision: &'static str,
    /// What the client can do, beside calling tools.
    can: Value,
    last_id: u64,
    /// Notifications that came while a reply was waited for.
    pub(crate) notified: Vec<Value>,
}

impl Pipe {
    /// A client that said nothing yet.
    pub(crate) fn silent(offer: impl Into<ServerBuilder>, whereabouts: Whereabouts) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let offer = offer.into();
        let server = tokio::spawn(async move {
            let (read, write) = split(theirs);
            serve_pipe(read, write, offer, whereabouts).await
        });
        let (read, write) = split(ours);
        let read = BufReader::new(read);
        let (revision, can) = ("2025-11-25", json!({}));
        Self { read, write, server, revision, can, last_id: 0, notified: Vec::new() }
    }

    /// A client of a revision, after its handshake.
    pub(crate) async fn of_revision(machine: &Machine, revision: &'static str) -> Self {
        Self::that_can(machine, revision, json!({})).await
    }

    /// The same, of a client that can do more than call tools.
    pub(crate) async fn that_can(machine: &Machine, revision: &'static str, can: Value) -> Self {
        Self::silent(machine.runtime(), machine.whereabouts()).begun(revision, can).await
    }

    /// The same client, after its handshake in a revision.
    pub(crate) async fn begun(mut self, revision: &'static str, can: Value) -> Self {
        self.revision = revision;
        self.can = can;
        let mut pipe = self;
        if revision != STATELESS {
            let welcome = pipe.request("initialize", hello_with(revision, &pipe.can)).await;
            assert_eq!(welcome["result"]["protocolVersion"], revision);
            pipe.notify("notifications/initialized").await;
        }
        pipe
    }

    /// A client that is offered more than the sets of Piton.
    pub(crate) async fn offered(
        machine: &Machine,
        offer: impl Into<ServerBuilder>,
    ) -> (Self, Value) {
        let mut pipe = Self::silent(offer, machine.whereabouts());
        let welcome = pipe.request("initialize", hello("2025-11-25")).await;
        pipe.notify("notifications/initialized").await;
        (pipe, welcome)
    }

    /// A client in the project of a machine.
    pub(crate) async fn at(machine: &Machine) -> Self {
        Self::of_revision(machine, "2025-11-25").await
    }

    /// A client that can tell its roots.
    pub(crate) async fn with_roots(runtime: &Arc<Runtime>, whereabouts: Whereabouts) -> Self {
        let mut pipe = Self::silent(runtime, whereabouts);
        let hello = hello_with("2025-11-25", &json!({ "roots": { "listChanged": true } }));
        pipe.request("initialize", hello).await;
        pipe.notify("notifications/initialized").await;
        pipe
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn notify(&mut self, method: &str) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method })).await;
    }

    /// The next message.
    pub(crate) async fn receive(&mut self) -> Value {
        let mut line = String::new();
        let read = timeout(GIVE_UP, self.read.read_line(&mut line)).await;
        assert!(read.expect("a message in time").unwrap() > 0, "the server closed the pipe");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and returns its id.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let message = request_with(self.revision, self.last_id, method, params, &self.can);
        self.send(&message).await;
        self.last_id
    }

    /// The reply to a request. Notifications on the way are kept.
    pub(crate) async fn reply_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notified.push(message);
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        self.reply_to(id).await
    }

    /// The reply to a call, whether it reached its tool or not.
    pub(crate) async fn try_call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        Answer::of(&self.try_call(tool, arguments).await)
    }

    /// Starts a run.
    pub(crate) async fn start(&mut self, workflow: &str) -> Answer {
        let arguments = json!({ "workflowId": workflow, "goal": "mend the login" });
        let answer = self.call("start_workflow", arguments).await;
        assert!(!answer.is_error, "{}", answer.text);
        answer
    }

    /// Submits notes for the pending step of an answer, as its next call says.
    pub(crate) async fn submit(&mut self, answer: &Answer, notes: &str) -> Answer {
        let mut call = answer.structured["nextCall"]["params"].clone();
        let output = json!({ "notesMarkdown": notes });
        call["output"] = output;
        self.call("continue_workflow", call).await
    }

    /// Closes the pipe and waits for the server to end.
    pub(crate) async fn close(mut self) -> Result<(), Envelope> {
        self.write.shutdown().await.unwrap();
        timeout(GIVE_UP, self.server).await.expect("the server ends").unwrap()
    }
}
