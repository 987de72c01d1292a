//! The console that `piton up` starts beside itself.
//!
//! *Invariants*: it is a process of its own, so that a heavy page slows no agent. Nothing secret is among its arguments
//! or variables. It ends when the pipe from `up` closes, however `up` ends. Without it, `up` serves agents all the same.
#![expect(
    clippy::disallowed_methods,
    reason = "the adapter that starts the console, and waits for it in a thread"
)]

use std::env;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::link;
use crate::app::App;
use crate::bounds::{CONSOLE_START_WAIT, NOTICE_BYTES_MAX};
use crate::commands::server_notice::ServerNotice;
use crate::open::Open;

/// Text in place of an address, with the command that helps.
const NOT_THERE: &str = "did not start; `piton console` starts one and says what is wrong";

/// The console beside `up`, or the attempt to start it.
pub(crate) struct ConsoleBeside(io::Result<Child>);

/// Where the console is, and what keeps it running: dropping this closes the pipe.
pub(crate) struct ConsoleAddress {
    pub(crate) text: String,
    _pipe: Option<ChildStdin>,
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
        let not_there = || ConsoleAddress { text: NOT_THERE.to_owned(), _pipe: None };
        let Ok(mut child) = self.0 else { return not_there() };
        let pipe = child.stdin.take();
        let notice = announced(&mut child).recv_timeout(CONSOLE_START_WAIT).ok().flatten();
        let address = notice.and_then(|notice| link::address(app, open, &notice.url).ok());
        match address {
            Some(text) => ConsoleAddress { text, _pipe: pipe },
            None => not_there(),
        }
    }
}

/// Reads the line with which a console says where it is.
fn announced(child: &mut Child) -> Receiver<Option<ServerNotice>> {
    let (sender, receiver) = mpsc::channel();
    let output = child.stdout.take();
    thread::spawn(move || {
        let mut line = String::new();
        let read =
            output.map(|output| BufReader::new(output.take(NOTICE_BYTES_MAX)).read_line(&mut line));
        let notice = read.and_then(Result::ok).and_then(|_| serde_json::from_str(&line).ok());
        let _ = sender.send(notice);
    });
    receiver
}
