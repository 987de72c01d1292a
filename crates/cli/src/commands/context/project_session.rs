//! The context of the project that a command was called in.

use piton_runtime::context::word::AgentId;
use piton_runtime::{
    context::{AgentContext, Frames},
    project_env::{ProjectDir, project_dir},
};

use crate::{app::App, failure::Failure, open::Open};

/// An open data directory with the context of the project.
pub(crate) struct ProjectSession {
    pub(crate) open: Open,
    pub(super) frames: Frames,
}

/// Returns the context of the project that a command was called in.
pub(crate) fn frames(app: &App, open: &Open) -> Result<Frames, Failure> {
    let here = app.environment.working_dir.as_deref();
    let configured = open.runtime.applied().project_dir();
    let project: Option<ProjectDir> = project_dir(None, configured.into_iter().chain(here))?;
    Ok(open.runtime.frames(project.as_ref(), here)?)
}

impl ProjectSession {
    pub(super) fn new(app: &App) -> Result<Self, Failure> {
        let open = app.open()?;
        let frames = frames(app, &open)?;
        Ok(Self { open, frames })
    }

    /// Opens the context of the project for an agent, or for the user if none is named.
    pub(crate) fn of(app: &App, agent: Option<&AgentId>) -> Result<(Self, AgentContext), Failure> {
        let desk = Self::new(app)?;
        let acting = desk.frames.act_as(agent)?;
        Ok((desk, acting))
    }
}
