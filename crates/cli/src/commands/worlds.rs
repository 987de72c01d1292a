//! Everything that can be forked and compared here: runs, backpacks, workspaces and the context of the project.

use std::sync::Arc;

use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::context::ProjectContext;
use piton_runtime::project_env::project_dir;
use piton_runtime::provenance::Worlds;
use piton_runtime::workspaces::{FileWorld, JoinedWorkspaces};

use super::workspace::WorkspaceArguments;
use crate::app::App;
use crate::failure::Failure;
use crate::open::Open;
use crate::output;

/// Everything that can be forked and compared here.
pub(super) struct OpenWorlds {
    pub(super) open: Open,
    backpacks: Backpacks,
    files: Option<Arc<FileWorld>>,
    frames: Option<ProjectContext>,
}

impl OpenWorlds {
    /// Opens everything that exists. Workspaces that cannot be opened cause a warning; the rest works without them.
    pub(super) fn new(app: &App, declared: JoinedWorkspaces) -> Result<Self, Failure> {
        let open = app.open()?;
        let files = WorkspaceArguments::open(&open, declared).unwrap_or_else(|failure| {
            let why = failure.envelope().message;
            output::warn(format_args!("Note: the Workspaces cannot be opened. {why}"));
            None
        });
        let here = app.environment.working_dir.as_deref();
        let configured = open.runtime.applied().project_dir();
        let project = project_dir(None, configured.into_iter().chain(here))?;
        // A project without usable context is no error here: everything else can still be compared.
        let frames = open.runtime.frames(project.as_ref(), here).ok();
        let backpacks = super::backpack::backpacks(&open);
        Ok(Self { open, backpacks, files, frames })
    }

    pub(super) fn worlds(&self) -> Worlds<'_> {
        Worlds {
            backpacks: &self.backpacks,
            files: self.files.as_deref(),
            frames: self.frames.as_ref(),
        }
    }
}
