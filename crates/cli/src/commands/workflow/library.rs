//! The workflows that are available where the process was started. No data directory is opened for them.

use std::path::PathBuf;

use piton_runtime::config::Configuration;
use piton_runtime::library::{
    Library, LibraryContents, PROJECT_WORKFLOWS, USER_WORKFLOWS, WorkflowSource, sources,
};
use piton_runtime::project_env::{ProjectDir, project_dir};
use piton_runtime::workflow::SourceKind;

use crate::app::App;
use crate::failure::Failure;

/// The workflows that are available here.
pub(super) struct WorkflowLibrary {
    configuration: Configuration,
    project: Option<ProjectDir>,
    pub(super) contents: LibraryContents,
    pub(super) sources: Vec<WorkflowSource>,
}

impl WorkflowLibrary {
    pub(super) fn of(app: &App) -> Result<Self, Failure> {
        let configuration = app.configuration()?;
        let settings = configuration.settings_here().map_err(Failure::Configuration)?;
        let known = [settings.project_dir(), app.environment.working_dir.as_deref()];
        let project = project_dir(None, known.into_iter().flatten())?;
        let path = project.as_ref().map(ProjectDir::path);
        let sources = sources(&settings, configuration.user_dir(), path);
        let contents = Library::default().contents(&sources);
        Ok(Self { configuration, project, contents, sources })
    }

    /// Returns the directory for the user's own files, or for those of the project.
    pub(super) fn directory(&self, of_project: bool) -> Result<(SourceKind, PathBuf), Failure> {
        if of_project {
            let project = self.project.as_ref().ok_or_else(|| {
                Failure::refused("There is no project here.", "Change to its directory first.")
            })?;
            return Ok((SourceKind::Project, project.path().join(PROJECT_WORKFLOWS)));
        }
        let user = self.configuration.user_dir().ok_or_else(|| {
            Failure::refused(
                "There is no home directory to keep workflows in.",
                "Set HOME, or add --project to keep them in the project.",
            )
        })?;
        Ok((SourceKind::User, user.join(USER_WORKFLOWS)))
    }
}
