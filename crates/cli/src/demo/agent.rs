//! The agent: an MCP client over a pipe, and the server at its other end, which is another process of this program.
#![expect(
    clippy::disallowed_methods,
    reason = "the agent starts its server, which is this program"
)]

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::project::DemoProject;
use crate::failure::Failure;

/// Protocol revision that the agent speaks.
const PROTOCOL: &str = "2025-11-25";

/// An agent: what it writes to its server, and what it reads from it.
pub(super) struct DemoAgent {
    to: Box<dyn Write + Send>,
    from: Box<dyn BufRead + Send>,
    last_id: u64,
    pub(super) tools: Vec<String>,
}

/// The process that serves an agent.
pub(super) struct ServerProcess(Child);

/// The answer of a tool.
pub(super) struct ToolAnswer {
    /// Structured content, if the tool returned any.
    pub(super) data: Value,
    /// Text for a model.
    pub(super) text: String,
    /// Set if the call was refused.
    pub(super) is_error: bool,
}

impl ServerProcess {
    /// Starts a server in the project, and connects an agent to it.
    pub(super) fn start(demo: &DemoProject) -> Result<(Self, DemoAgent), Failure> {
        let failed = || Failure::io("start an MCP server for the agent");
        let program = env::current_exe().map_err(failed())?;
        let mut server = Command::new(program)
            .arg("mcp")
            .arg("--data-dir")
            .arg(&demo.data)
            .current_dir(&demo.project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Its warnings would appear between the lines of the demo.
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed())?;
        let to = server.stdin.take().expect("it was asked for above");
        let from = BufReader::new(server.stdout.take().expect("it was asked for above"));
        Ok((Self(server), DemoAgent::connect(to, from)?))
    }

    /// Kills the server without warning, and returns the signal that ended it.
    pub(super) fn kill(mut self) -> Result<i32, Failure> {
        let failed = || Failure::io("kill the server of the agent");
        self.0.kill().map_err(failed())?;
        let status = self.0.wait().map_err(failed())?;
        status.signal().ok_or_else(|| Failure::broken_promise("a killed process ended by itself"))
    }

    /// Disconnects the agent, and waits for the server to end.
    pub(super) fn end(mut self, agent: DemoAgent) -> Result<(), Failure> {
        // The end of its input is how the server learns that the client left.
        drop(agent);
        self.0.wait().map_err(Failure::io("wait for the server of the agent"))?;
        Ok(())
    }
}

impl DemoAgent {
    /// Connects to the server that reads `to` and writes `from`.
    pub(super) fn connect(
        to: impl Write + Send + 'static,
        from: impl BufRead + Send + 'static,
    ) -> Result<Self, Failure> {
        let mut agent =
            Self { to: Box::new(to), from: Box::new(from), last_id: 0, tools: Vec::new() };
        let who = json!({ "name": "demo-agent", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": who });
        agent.ask("initialize", &hello)?;
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let listed = agent.ask("tools/list", &json!({}))?;
        let names = listed["tools"].as_array().into_iter().flatten();
        agent.tools = names.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect();
        Ok(agent)
    }

    /// Calls a tool.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<ToolAnswer, Failure> {
        let mut reply = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        Ok(ToolAnswer {
            text: reply["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
            is_error: reply["isError"] == true,
            data: reply["structuredContent"].take(),
        })
    }

    /// Calls a tool that must not refuse.
    pub(super) fn must(&mut self, tool: &str, arguments: &Value) -> Result<ToolAnswer, Failure> {
        let answer = self.call(tool, arguments)?;
        if answer.is_error {
            return Err(Failure::broken_promise(&format!("{tool} was refused: {}", answer.text)));
        }
        Ok(answer)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            let read =
                self.from.read_line(&mut line).map_err(Failure::io("read from the server"))?;
            if read == 0 {
                return Err(Failure::broken_promise(&format!("the server left during {method}")));
            }
            let mut message: Value = serde_json::from_str(&line)
                .map_err(io::Error::from)
                .map_err(Failure::io("parse the server's message"))?;
            // Notifications in between have no id and are skipped.
            if message["id"] == id {
                if !message["error"].is_null() {
                    let problem = format!("{method} failed: {}", message["error"]["message"]);
                    return Err(Failure::broken_promise(&problem));
                }
                return Ok(message["result"].take());
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let written = writeln!(self.to, "{message}").and_then(|()| self.to.flush());
        written.map_err(Failure::io("write to the server"))
    }
}
