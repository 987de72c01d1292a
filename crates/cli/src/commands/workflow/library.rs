//! The workflows that are available where the process was started. No data directory is opened for them.

use piton_runtime::library::{Library, SourceFiles};
use piton_runtime::project_env::{ProjectDir, project_dir};

use crate::app::App;
use crate::failure::Failure;

/// Returns the workflow files that are available here.
pub(crate) fn source_files(app: &App) -> Result<SourceFiles, Failure> {
    let configuration = app.configuration()?;
    let settings = configuration.settings_here().map_err(Failure::Configuration)?;
    let known = [settings.project_dir(), app.environment.working_dir.as_deref()];
    let project = project_dir(None, known.into_iter().flatten())?;
    let project = project.as_ref().map(ProjectDir::path);
    Ok(SourceFiles::find(&Library::default(), &settings, configuration.user_dir(), project))
}
