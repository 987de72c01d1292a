//! Starts the server that a client is configured to start, as the client would, and waits for its handshake.
#![expect(
    clippy::disallowed_methods,
    reason = "the adapter that starts what clients start, and waits for it in a thread"
)]

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use piton_core::truncate;
use serde_json::{Value, json};

use crate::bounds::{PROBE_BYTES_MAX, PROBE_QUOTE_BYTES_MAX};
use crate::commands::mcp::Start;

/// Reasons that a handshake fails.
#[derive(Debug)]
pub(super) enum HandshakeError {
    NotThere,
    CannotStart(io::Error),
    /// It ended without a reply.
    Ended {
        /// The first line that it wrote to standard error.
        said: Option<String>,
    },
    /// There was no reply in time.
    Silent,
    /// The reply is not Piton's.
    Stranger,
}

/// Performs the handshake with the server that `start` starts, and returns its version.
pub(super) fn probe(start: &Start, patience: Duration) -> Result<String, HandshakeError> {
    let mut child = spawn(start)?;
    let outcome = shake_hands(&mut child, patience);
    // The server has done no work yet that killing it could cut off.
    let _ = child.kill();
    let _ = child.wait();
    outcome
}

fn spawn(start: &Start) -> Result<Child, HandshakeError> {
    Command::new(&start.program)
        .args(&start.arguments)
        .envs(&start.variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => HandshakeError::NotThere,
            _ => HandshakeError::CannotStart(error),
        })
}

fn shake_hands(child: &mut Child, patience: Duration) -> Result<String, HandshakeError> {
    // Both pipes are read from the start: a server that fills one would wait for its reader and never answer.
    let replied = first_line(child.stdout.take().expect("it is piped"));
    let complained = first_line(child.stderr.take().expect("it is piped"));
    let mut input = child.stdin.take().expect("it is piped");
    // A server that does not read its input is detected by its silence.
    let _ = input.write_all(format!("{}\n", hello()).as_bytes());
    match replied.recv_timeout(patience) {
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            Err(HandshakeError::Silent)
        }
        Ok(None) => {
            // Standard output is closed, so the server is ending. Closing its input too lets it do so even if it still
            // waits for more, and its errors explain why.
            drop(input);
            let said = complained.recv_timeout(patience).ok().flatten();
            let quoted = |said: String| truncate(said.trim(), PROBE_QUOTE_BYTES_MAX).into_owned();
            Err(HandshakeError::Ended { said: said.map(quoted) })
        }
        Ok(Some(line)) => version(&line).ok_or(HandshakeError::Stranger),
    }
}

/// Reads a pipe to its end, and sends its first line that is not empty, if there is one.
fn first_line(pipe: impl io::Read + Send + 'static) -> Receiver<Option<String>> {
    let (sender, receiver) = mpsc::channel();
    // A pipe cannot be read with a timeout, so a thread reads it. It ends with the process, which is killed in any
    // case.
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut lines = pipe.by_ref().take(PROBE_BYTES_MAX).lines();
        let first = lines.find_map(|line| line.ok().filter(|line| !line.trim().is_empty()));
        let _ = sender.send(first);
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

fn hello() -> Value {
    let client = json!({ "name": "piton doctor", "version": env!("CARGO_PKG_VERSION") });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

/// Returns the version of the Piton that sent this reply; `None` if it is no reply of Piton.
fn version(line: &str) -> Option<String> {
    let reply: Value = serde_json::from_str(line).ok()?;
    let server = reply.pointer("/result/serverInfo")?;
    (server.get("name")? == "piton").then(|| server.get("version")?.as_str().map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(program: &str, arguments: &[&str]) -> Start {
        let arguments = arguments.iter().map(|one| (*one).to_owned()).collect();
        Start { program: program.to_owned(), arguments, ..Start::default() }
    }

    #[test]
    fn each_way_not_to_answer_is_told_apart() {
        let patience = Duration::from_mins(1);
        let trouble = |start: &Start| probe(start, patience).unwrap_err();
        assert!(matches!(trouble(&start("/no/such/program", &[])), HandshakeError::NotThere));
        assert!(matches!(trouble(&start("/", &[])), HandshakeError::CannotStart(_)));
        // `cat` echoes the request.
        assert!(matches!(trouble(&start("cat", &[])), HandshakeError::Stranger));
        let broken = start("sh", &["-c", "echo; echo 'no room' >&2; exit 3"]);
        assert!(
            matches!(trouble(&broken), HandshakeError::Ended { said: Some(said) } if said == "no room")
        );
        assert!(matches!(trouble(&start("true", &[])), HandshakeError::Ended { said: None }));
        let silent = probe(&start("sleep", &["1000"]), Duration::from_millis(20));
        assert!(matches!(silent.unwrap_err(), HandshakeError::Silent));
    }

    #[test]
    fn a_server_that_writes_many_warnings_first_is_still_heard() {
        let server = json!({ "name": "piton", "version": "9" });
        let reply = json!({ "result": { "serverInfo": server } }).to_string();
        // More than a pipe holds, so it has to be read for the server to get to its reply.
        let noisy = "yes warning | head -c 1000000 >&2; echo \"$REPLY_WITH\"";
        let mut start = start("sh", &["-c", noisy]);
        start.variables.insert("REPLY_WITH".to_owned(), reply);
        assert_eq!(probe(&start, Duration::from_secs(10)).unwrap(), "9");
    }

    #[test]
    fn what_a_client_adds_to_the_environment_is_there() {
        let server = json!({ "name": "piton", "version": "9" });
        let reply = json!({ "result": { "serverInfo": server } });
        let mut start = start("sh", &["-c", "echo \"$REPLY_WITH\""]);
        start.variables.insert("REPLY_WITH".to_owned(), reply.to_string());
        assert_eq!(probe(&start, Duration::from_mins(1)).unwrap(), "9");
    }
}
