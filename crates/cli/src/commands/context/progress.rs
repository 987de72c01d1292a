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
        progress.tell(doing);
        progress
    }

    /// Replaces the line.
    pub(super) fn tell(&self, line: &str) {
        if self.shown {
            output::overwrite(line);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.tell("");
    }
}
