//! A progress line for long work. It is shown on terminals only.

use std::io::{self, IsTerminal as _};

use crate::{app::App, output};

/// A progress line for long work.
pub(super) struct Progress {
    shown: bool,
}

impl Progress {
    /// Begins to show what is being done, if a person sees it.
    pub(super) fn begin(app: &App, doing: &str) -> Self {
        let progress = Self { shown: io::stderr().is_terminal() && !app.output.is_json() };
        progress.update(doing);
        progress
    }

    /// Replaces the line.
    pub(super) fn update(&self, line: &str) {
        if self.shown {
            output::overwrite(line);
        }
    }

    /// Shows a bar with the number of things done.
    pub(super) fn count(&self, done: usize, all: usize, doing: &str) {
        const WIDTH: usize = 24;
        // With nothing to do, the bar is full.
        let filled = (done * WIDTH).checked_div(all).unwrap_or(WIDTH).min(WIDTH);
        let bar = format!("{}{}", "#".repeat(filled), "-".repeat(WIDTH - filled));
        self.update(&format!("[{bar}] {done} of {all}  {doing}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // Clears the line, so that the command's output starts on a clean one.
        self.update("");
    }
}
