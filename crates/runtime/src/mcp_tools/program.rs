//! A server that is a program: each message is a line of its standard input or output.
//!
//! *Invariants*: a program ends with its connection: its input is closed, and it is killed if it does not exit then, or
//! if the connection is dropped. A line never occupies more memory than [`MCP_MESSAGE_BYTES_MAX`]. A longer one ends
//! the connection, and calls report that.
//!
//! *Limitations*: a line that is not a message is skipped, because many programs print other things as well.

use std::io;
use std::process::Stdio;
use std::sync::{Arc, OnceLock};

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, Empty};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::remote_tool;
use crate::bounds::{MCP_EXIT_WAIT, MCP_MESSAGE_BYTES_MAX};

/// Reason that a connection ended, if the server did not end it.
pub(super) type EndReason = Arc<OnceLock<String>>;

/// A running program and the connection to it.
pub(super) struct Program {
    child: Child,
    input: AsyncRwTransport<RoleClient, Empty, ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The start of the next line. `receive` may be cancelled at any byte and continues from here.
    line: Vec<u8>,
    end: EndReason,
}

impl Program {
    /// Starts a program. Must be called within a runtime.
    pub(super) fn start(mut command: Command, end: EndReason) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let input = AsyncRwTransport::new(tokio::io::empty(), input.expect("it is a pipe"));
        let output = BufReader::new(output.expect("it is a pipe"));
        Ok(Self { child, input, output, line: Vec::new(), end })
    }
}

impl Transport<RoleClient> for Program {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.input.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            // `read_until` appends to the line that an earlier, cancelled call began, so only the rest of the limit is
            // left.
            let room = (MCP_MESSAGE_BYTES_MAX - self.line.len()) as u64;
            let read = (&mut self.output).take(room).read_until(b'\n', &mut self.line).await;
            // The limit is reached without the end of the line. The rest of the line would be taken for further
            // messages, so the connection ends.
            if self.line.last() != Some(&b'\n') && self.line.len() == MCP_MESSAGE_BYTES_MAX {
                let _first = self.end.set(format!(
                    "the server sent a message of more than {MCP_MESSAGE_BYTES_MAX} bytes"
                ));
                return None;
            }
            // The program closed its output, or reading failed. Either ends the connection.
            if read.ok()? == 0 {
                return None;
            }
            let line = std::mem::take(&mut self.line);
            let text = str::from_utf8(&line).ok();
            let message =
                text.and_then(|text| remote_tool::read(text.trim_start_matches('\u{feff}')).ok());
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // Closing the input is the polite request to exit. Killing comes only after the wait.
        self.input.close().await?;
        match timeout(MCP_EXIT_WAIT, self.child.wait()).await {
            Ok(exit) => exit.map(drop),
            Err(_) => self.child.kill().await,
        }
    }
}
