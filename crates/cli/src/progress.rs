//! A progress line for work that may take long.

use indicatif::{ProgressBar, ProgressStyle};

use crate::app::App;
use crate::bounds::PROGRESS_TICK;
use crate::style::printable;

/// A progress line on standard error. Nothing is drawn where that is no terminal, or where a program reads the output.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Begins to show what is being done.
    pub(crate) fn begin(app: &App, doing: &str) -> Self {
        let line =
            if app.output.is_json() { ProgressBar::hidden() } else { ProgressBar::no_length() };
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is valid");
        let line = line.with_style(style).with_message(printable(doing));
        // Drawn at once, since short work ends before the first movement.
        line.tick();
        line.enable_steady_tick(PROGRESS_TICK);
        Self(line)
    }

    /// Shows a bar with the number of things done.
    pub(crate) fn count(&self, done: usize, all: usize, doing: &str) {
        let style = ProgressStyle::with_template("[{bar:24}] {pos} of {len}  {msg}")
            .expect("the template is valid")
            .progress_chars("#--");
        self.0.set_style(style);
        self.0.set_length(all as u64);
        self.0.set_message(printable(doing));
        self.0.set_position(done as u64);
        // Each step counts, so none is left out to save drawing.
        self.0.force_draw();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // Clears the line, so that the command's output starts on a clean one.
        self.0.finish_and_clear();
    }
}
