//! An agent that calls the tools of a `piton mcp` of its own, as clients do.

use std::{
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::rig::Rig;

/// The newest revision of the protocol that begins with a handshake.
const NEWEST: &str = "2025-11-25";

/// What a client is called that needs no name of its own.
const CLIENT: &str = "test";

pub(crate) struct Agent {
    pub(crate) child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    last_id: u64,
    /// The server's reply to `initialize`.
    pub(crate) instructions: String,
}

impl Agent {
    /// Starts a server and shakes hands with it.
    pub(crate) fn start(rig: &Rig) -> Self {
        Self::start_with(rig, &[], &json!({}))
    }

    /// The same, with more arguments for the server.
    pub(crate) fn start_as(rig: &Rig, arguments: &[&str]) -> Self {
        Self::begin(rig, arguments, &[], &json!({}), (NEWEST, CLIENT))
    }

    /// The same, of a client with another name.
    pub(crate) fn start_named(rig: &Rig, client: &str) -> Self {
        Self::begin(rig, &[], &[], &json!({}), (NEWEST, client))
    }

    /// The same, in an older revision of the protocol.
    pub(crate) fn start_speaking(rig: &Rig, revision: &str) -> Self {
        Self::begin(rig, &[], &[], &json!({}), (revision, CLIENT))
    }

    /// The same, with more in the environment of the server and in what the client can do.
    pub(crate) fn start_with(rig: &Rig, variables: &[(&str, &str)], can: &Value) -> Self {
        Self::begin(rig, &[], variables, can, (NEWEST, CLIENT))
    }

    fn begin(
        rig: &Rig,
        more: &[&str],
        variables: &[(&str, &str)],
        can: &Value,
        (revision, client): (&str, &str),
    ) -> Self {
        let mut child = rig
            .command(&[&["mcp"], more].concat())
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut agent = Self { child, input, lines, last_id: 0, instructions: String::new() };
        let client = json!({ "name": client, "version": "1" });
        let hello =
            json!({ "protocolVersion": revision, "capabilities": can, "clientInfo": client });
        agent.ask("initialize", &hello);
        let welcome = agent.reply().expect("the server shakes hands");
        assert_eq!(welcome["result"]["protocolVersion"], revision, "{welcome}");
        welcome["result"]["instructions"].as_str().unwrap().clone_into(&mut agent.instructions);
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        // A server that was killed does not read; that it is gone is seen when its reply is missing.
        let _ = self.input.write_all(bytes);
    }

    /// Sends a request without waiting for its reply.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// The next message; nothing if the server is gone.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let line = self.lines.next()?.ok()?;
        // Everything on standard output is the protocol's. A line that a kill cut short never came.
        serde_json::from_str(&line).ok()
    }

    /// The reply to what was asked last; nothing if the server is gone.
    pub(crate) fn reply(&mut self) -> Option<Value> {
        loop {
            let message = self.receive()?;
            if message["id"] == self.last_id && message.get("method").is_none() {
                return Some(message);
            }
        }
    }

    pub(crate) fn ask_tool(&mut self, tool: &str, arguments: &Value) {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
    }

    /// What a tool answers, an envelope included.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask_tool(tool, arguments);
        structured(&self.reply().expect("the server answers"))
    }

    /// What a tool answers as text, and whether it failed.
    pub(crate) fn call_text(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        self.ask_tool(tool, arguments);
        let reply = self.reply().expect("the server answers");
        let text = reply["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no text: {reply}")).to_owned();
        (text, reply["result"]["isError"] == true)
    }

    /// The names of the tools that the server lists.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        self.ask("tools/list", &json!({}));
        let listed = self.reply().expect("the server answers");
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes the pipe; the server has nothing to complain about.
    pub(crate) fn leave(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// The structured content of a reply to a call.
pub(crate) fn structured(reply: &Value) -> Value {
    let result = reply.get("result").unwrap_or_else(|| panic!("no result: {reply}"));
    result["structuredContent"].clone()
}

/// Whether an answer is an envelope that asks to repeat the call.
pub(crate) fn is_to_be_repeated(answer: &Value) -> bool {
    answer["retry"]["kind"].as_str().is_some_and(|kind| kind != "not_retryable")
}
