//! The context of the project that a command was called in.

use piton_runtime::context::{AgentContext, AgentId, ProjectContext};
use piton_runtime::project_env::project_dir;

use crate::app::App;
use crate::failure::Failure;
use crate::open::Open;

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
