//! The workspaces of a process: the configured ones, and those on the command line.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use piton_runtime::config::ConfigProblem;
use piton_runtime::config::section::{FoundSection, WorkspacesSection};
use piton_runtime::project_env::ProjectDir;
use piton_runtime::workspaces::{
    Declared, FileWorld, JoinedWorkspaces, Mount, WorkspaceConfig, WorkspacePorts, join,
};

use crate::app::App;
use crate::failure::Failure;
use crate::open::Open;
use crate::output;

/// Workspaces that somebody types.
#[derive(Args, Clone, Default)]
pub(crate) struct WorkspaceArguments {
    /// A Workspace beside those that are configured: PREFIX=STORE:SCOPE. STORE is a directory (./docs), virtual,
    /// virtual/NAME, memory, or over/PREFIX; SCOPE is ro, rw or wo. `,writable=NAME` after the scope lets agents change a
    /// name that they otherwise only read, such as .vscode. May be repeated
    #[arg(long = "workspace", value_name = "PREFIX=STORE:SCOPE", value_parser = mount)]
    workspaces: Vec<Mount>,
}

fn mount(text: &str) -> Result<Mount, String> {
    text.parse()
}

/// Returns the workspace sections of the user's and the project's configuration files.
fn found(
    app: &App,
    project: Option<&ProjectDir>,
) -> Result<Vec<FoundSection<WorkspacesSection>>, Failure> {
    let project = project.map(ProjectDir::path);
    app.configuration()?.sections_for(project).map_err(Failure::Configuration)
}

/// Returns the project that a process started here works on.
fn project_here(app: &App) -> Result<Option<ProjectDir>, Failure> {
    app.project(&app.configuration()?.settings())
}

impl WorkspaceArguments {
    /// Adds a workspace as if it had been typed.
    pub(crate) fn add(&mut self, mount: Mount) {
        self.workspaces.push(mount);
    }

    /// Returns the workspaces that are declared for a process here. Directories are resolved on disk, but nothing is
    /// opened.
    pub(crate) fn declared(&self, app: &App) -> Result<JoinedWorkspaces, Failure> {
        self.declared_in(app, project_here(app)?.as_ref())
    }

    /// Returns the workspaces that are declared for a process in a project.
    pub(crate) fn declared_in(
        &self,
        app: &App,
        project: Option<&ProjectDir>,
    ) -> Result<JoinedWorkspaces, Failure> {
        let environment = &app.environment;
        let found = found(app, project)?;
        let mut places: Vec<Declared> = found.into_iter().map(Declared::found).collect();
        // Typed workspaces come last, and their paths are relative to the working directory.
        if !self.workspaces.is_empty() {
            let base = environment.working_dir.as_deref().unwrap_or(Path::new("/"));
            places.push(Declared::typed(&self.workspaces, base.to_owned()));
        }
        Ok(join(places, environment.home()))
    }

    /// Returns all problems for which a process that is started here would refuse the configured workspaces.
    pub(crate) fn problems(
        app: &App,
        ports: &WorkspacePorts,
    ) -> Result<Vec<ConfigProblem>, Failure> {
        let found = found(app, project_here(app)?.as_ref())?;
        // A problem is a text. The file to blame is the last one that declares a prefix which the text names.
        let place = |problem: &str| {
            let names = |config: &WorkspaceConfig| {
                problem
                    .split_ascii_whitespace()
                    .any(|word| word.trim_end_matches([':', ';']) == config.prefix)
            };
            let mut files = found.iter().filter(|one| one.value.0.iter().any(names));
            files
                .next_back()
                .map_or_else(|| "`workspaces`".to_owned(), |one| one.file.display().to_string())
        };
        let declared = Self::default().declared(app)?;
        let problems = FileWorld::problems(&declared, ports).into_iter();
        let fix = "correct it in `[[workspaces]]`";
        Ok(problems.map(|problem| ConfigProblem::of(place(&problem), problem, fix)).collect())
    }

    /// Opens the workspaces; `None` if none is declared. Notes about them are printed.
    pub(crate) fn open(
        open: &Open,
        declared: JoinedWorkspaces,
    ) -> Result<Option<Arc<FileWorld>>, Failure> {
        if declared.is_empty() {
            return Ok(None);
        }
        let world = open.wait(FileWorld::open(declared, &open.files))?;
        for note in world.notes() {
            output::warn(format_args!("Note: {note}."));
        }
        Ok(Some(Arc::new(world)))
    }

    /// Opens the workspaces for a command that needs some.
    pub(crate) fn world(&self, app: &App) -> Result<(Open, Arc<FileWorld>), Failure> {
        let declared = self.declared(app)?;
        let open = app.open()?;
        let world = Self::open(&open, declared)?.ok_or_else(|| {
            Failure::refused(
                "No Workspace is configured, so agents have no file access.",
                "Write `[[workspaces]]` into piton.toml or your own configuration file, or add --workspace /docs=./docs:ro to see what one would do.",
            )
        })?;
        Ok((open, world))
    }
}
