//! Showing the page in a browser.
//!
//! A key must not be an argument of a program, which every user of the machine can read. So the browser is given a file
//! that only its owner can read, and that leads to the link. The program that does so is started before the sandbox goes
//! up, and waits.
#![expect(clippy::disallowed_methods, reason = "the adapter that starts the browser")]

use std::env;
use std::io::{self, BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clap::Args;

use crate::app::Outcome;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;

/// The program that opens a file as a person's desktop does.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// A process that shows a file on request.
pub(super) struct PageOpener {
    child: Child,
    file: PathBuf,
}

/// Shows a page in the browser once a line arrives on standard input.
#[derive(Args)]
pub(crate) struct OpenPage {
    /// The file that leads to the page.
    file: PathBuf,
}

impl OpenPage {
    pub(crate) fn run(&self) -> Outcome {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map_err(Failure::io("read standard input"))?;
        // No line: the console did not start.
        if !line.is_empty() {
            let opened = Command::new(OPENER).arg(&self.file).stdout(Stdio::null()).status();
            opened.map_err(Failure::io(format!("start {OPENER}")))?;
        }
        Ok(CommandEnding::Done)
    }
}

impl PageOpener {
    /// Starts the process that waits.
    pub(super) fn start(root: &Path) -> Result<Self, Failure> {
        let failed = || Failure::io("start the browser");
        let file = root.join("run/console.html");
        let program = env::current_exe().map_err(failed())?;
        let mut command = Command::new(program);
        command.arg("internal-open-page").arg(&file).stdin(Stdio::piped()).stdout(Stdio::null());
        Ok(Self { child: command.spawn().map_err(failed())?, file })
    }

    /// Shows the page at `link`. The file is removed when the console ends.
    pub(super) fn show(mut self, link: &str) -> Result<ShownPage, Failure> {
        // The link is made of an address and hex digits, so nothing in it needs to be escaped.
        let page = format!(
            "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
             <meta http-equiv=\"refresh\" content=\"0; url={link}\"><title>Piton</title>"
        );
        files::write(&self.file, page.as_bytes(), true)?;
        let told = self.child.stdin.take().map(|mut input| input.write_all(b"show\n"));
        told.transpose().map_err(Failure::io("start the browser"))?;
        Ok(ShownPage(self.file))
    }
}

/// The file that led to the page. Dropping it removes the file.
pub(super) struct ShownPage(PathBuf);

impl Drop for ShownPage {
    fn drop(&mut self) {
        let _ = files::remove(&self.0);
    }
}
