//! The console that `piton up` starts beside itself.
//!
//! *Invariants*: it is a process of its own, so that a heavy page slows no agent. Nothing secret is among its arguments
//! or variables. It ends when the pipe from `up` closes, however `up` ends. Without it, `up` serves agents all the same;
//! if it dies, `up` says so.
#![expect(
    clippy::disallowed_methods,
    reason = "the adapter that starts the console, and waits for it in a thread"
)]

use std::env;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::link;
use crate::app::App;
use crate::bounds::{CONSOLE_START_WAIT, NOTICE_BYTES_MAX};
use crate::commands::server_notice::ServerNotice;
use crate::open::Open;
use crate::output;

/// Text in place of an address, with the command that helps.
const NOT_THERE: &str = "did not start; `piton console` starts one and says what is wrong";

/// The console beside `up`, or the attempt to start it.
pub(crate) struct ConsoleBeside(io::Result<Child>);

/// Where the console is, and what keeps it running: dropping this closes the pipe.
pub(crate) struct ConsoleAddress {
    pub(crate) text: String,
    pipe: Option<ChildStdin>,
    /// Set once the console is meant to end.
    is_over: Arc<AtomicBool>,
}

impl Drop for ConsoleAddress {
    fn drop(&mut self) {
        // Before the pipe closes, so that its end is not taken for a failure.
        self.is_over.store(true, Ordering::SeqCst);
        self.pipe = None;
    }
}

impl ConsoleBeside {
    /// Starts a console from this program's own file, on the same data directory.
    pub(crate) fn start(app: &App) -> Self {
        let start = || {
            let mut command = Command::new(env::current_exe()?);
            command.args(["console", "--beside"]);
            if let Some(directory) = &app.chosen_dir {
                command.arg("--data-dir").arg(directory);
            }
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        };
        Self(start())
    }

    /// Returns where the console is: a link, if a person reads it.
    pub(crate) fn address(self, app: &App, open: &Open) -> ConsoleAddress {
        let is_over = Arc::new(AtomicBool::new(false));
        let Ok(mut child) = self.0 else {
            return ConsoleAddress { text: NOT_THERE.to_owned(), pipe: None, is_over };
        };
        let pipe = child.stdin.take();
        let announced = follow(child, Arc::clone(&is_over));
        let notice = announced.recv_timeout(CONSOLE_START_WAIT).ok().flatten();
        let address = notice.and_then(|notice| link::address(app, open, &notice.url).ok());
        // One that did not say where it is ends when its pipe is dropped, and nobody waits for it.
        is_over.store(address.is_none(), Ordering::SeqCst);
        let pipe = pipe.filter(|_| address.is_some());
        let text = address.unwrap_or_else(|| NOT_THERE.to_owned());
        ConsoleAddress { text, pipe, is_over }
    }
}

/// Reads the line with which a console says where it is, then waits for the end of its process and reports it, unless it
/// was meant to end.
fn follow(mut child: Child, is_over: Arc<AtomicBool>) -> Receiver<Option<ServerNotice>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let output = child.stdout.take();
        let read =
            output.map(|output| BufReader::new(output.take(NOTICE_BYTES_MAX)).read_line(&mut line));
        let notice: Option<ServerNotice> =
            read.and_then(Result::ok).and_then(|_| serde_json::from_str(&line).ok());
        // A console that another process serves is named by a child that then ends.
        let serves = notice.as_ref().is_some_and(|notice| notice.pid == child.id());
        let _ = sender.send(notice);
        let _ = child.wait();
        if serves && !is_over.load(Ordering::SeqCst) {
            output::warn(format_args!(
                "The console ended. Agents are served as before; `piton console` starts another."
            ));
        }
    });
    receiver
}
