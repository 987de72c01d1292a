//! A line on a terminal that says how far long work is. In a pipe there is none.

use std::io::{self, IsTerminal as _};

use crate::{app::App, output};

/// Tells how far long work is.
pub(super) struct Progress {
    shown: bool,
}

impl Progress {
    /// Begins to tell what is being done, if a person sees it.
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

    /// A line of so many done.
    pub(super) fn count(&self, done: usize, all: usize, doing: &str) {
        const WIDTH: usize = 24;
        let filled = (done * WIDTH).checked_div(all).unwrap_or(WIDTH).min(WIDTH);
        let bar = format!("{}{}", "#".repeat(filled), "-".repeat(WIDTH - filled));
        self.update(&format!("[{bar}] {done} of {all}  {doing}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.update("");
    }
}
