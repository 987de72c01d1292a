//! The context of the project that a command was called in, and a progress line for long work in it.

use indicatif::{ProgressBar, ProgressStyle};
use piton_runtime::context::{AgentContext, AgentId, ProjectContext};
use piton_runtime::project_env::project_dir;

use crate::app::App;
use crate::bounds::PROGRESS_TICK;
use crate::failure::Failure;
use crate::open::Open;
use crate::style::printable;

/// An open data directory with the context of the project.
pub(crate) struct ProjectSession {
    pub(crate) open: Open,
    pub(super) project: ProjectContext,
}

/// Returns the context of the project that a command was called in.
pub(crate) fn project_context(app: &App, open: &Open) -> Result<ProjectContext, Failure> {
    let here = app.environment.working_dir.as_deref();
    let configured = open.runtime.applied().project_dir();
    let project = project_dir(None, configured.into_iter().chain(here))?;
    Ok(open.runtime.frames(project.as_ref(), here)?)
}

impl ProjectSession {
    pub(super) fn new(app: &App) -> Result<Self, Failure> {
        let open = app.open()?;
        let project = project_context(app, &open)?;
        Ok(Self { open, project })
    }

    /// Opens the context of the project for an agent, or for the user if none is named.
    pub(crate) fn of(app: &App, agent: Option<&AgentId>) -> Result<(Self, AgentContext), Failure> {
        let session = Self::new(app)?;
        let acting = session.project.act_as(agent)?;
        Ok((session, acting))
    }
}

/// A progress line on standard error. Nothing is drawn where that is no terminal, or where a program reads the output.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Begins to show what is being done.
    pub(super) fn begin(app: &App, doing: &str) -> Self {
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
    pub(super) fn count(&self, done: usize, all: usize, doing: &str) {
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
