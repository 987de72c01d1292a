//! Processes that a measure starts: this program again, or another one at the other end of a pipe.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::{env, io};

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Returns the path of a program beside this one.
pub(crate) fn sibling_program(name: &str) -> Result<PathBuf> {
    present(this_program()?.with_file_name(name))
}

/// Returns the path of something that `cargo xtask tools` installs, beside the directory of this program.
pub(crate) fn installed(name: &str) -> Result<PathBuf> {
    let program = this_program()?;
    let built = program.parent().expect("a program is in a directory");
    present(built.with_file_name("clients").join(name))
}

fn this_program() -> Result<PathBuf> {
    env::current_exe().map_err(Error::io("find this program"))
}

fn present(path: PathBuf) -> Result<PathBuf> {
    if path.exists() { Ok(path) } else { Err(Error::Missing(path)) }
}

/// Runs a hidden command of this program in a new process, and returns what it prints.
pub(crate) fn elsewhere<T: DeserializeOwned>(arguments: &[&OsStr]) -> Result<T> {
    let output = Command::new(this_program()?).args(arguments).output();
    let output = output.map_err(Error::io("start a process"))?;
    if !output.status.success() {
        return Err(Error::Child(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(Error::json("read what a process says"))
}

/// A process that reads lines and answers with lines. It is killed when this is dropped.
pub(crate) struct PipedProcess {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl PipedProcess {
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(Error::io("start a process"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        Ok(Self { child, input, output })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line.
    pub(crate) fn send(&mut self, line: impl Display) -> Result<()> {
        let input = self.input.as_mut().expect("it is open until the end");
        writeln!(input, "{line}").map_err(Error::io("write to a process"))
    }

    /// Reads the next line.
    pub(crate) fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(Error::Client("it ended".to_owned())),
            Ok(_) => Ok(line),
            Err(problem) => Err(Error::io("read from a process")(problem)),
        }
    }

    /// Ends the process by closing its input, and waits until it has ended.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        drop(self.input.take());
        self.child.wait().map(drop)
    }
}

impl Drop for PipedProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
