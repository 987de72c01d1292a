//! Which Workspaces a process has: those that are configured, and those that somebody typed.

use std::{path::Path, sync::Arc};

use clap::Args;
use piton_runtime::{
    config::{
        ConfigProblem,
        section::{FoundSection, WorkspacesSection},
    },
    project_env::ProjectDir,
    workspaces::{
        Declared, FileWorld, JoinedWorkspaces, Mount, WorkspaceConfig, WorkspacePorts, join,
    },
};

use crate::{app::App, failure::Failure, open::Open, output};

/// Workspaces that somebody types.
#[derive(Args, Clone, Default)]
pub(crate) struct Chosen {
    /// A Workspace beside those that are configured: PREFIX=STORE:SCOPE. STORE is a directory (./docs), virtual,
    /// virtual/NAME, memory, or over/PREFIX; SCOPE is ro, rw or wo. `,writable=NAME` after the scope lets agents change a
    /// name that they otherwise only read, such as .vscode. May be repeated
    #[arg(long = "workspace", value_name = "PREFIX=STORE:SCOPE", value_parser = mount)]
    workspaces: Vec<Mount>,
}

fn mount(text: &str) -> Result<Mount, String> {
    text.parse()
}

/// What the files of the user and of the project say.
fn found(app: &App) -> Result<Vec<FoundSection<WorkspacesSection>>, Failure> {
    let configuration = app.configuration()?;
    let project = app.project(&configuration.settings())?;
    let project = project.as_ref().map(ProjectDir::path);
    configuration.sections_for(project).map_err(Failure::Configuration)
}

impl Chosen {
    /// Adds one as if somebody had typed it.
    pub(crate) fn add(&mut self, mount: Mount) {
        self.workspaces.push(mount);
    }

    /// What is declared for a process that works here. The disk is asked where directories are, and nothing is opened.
    pub(crate) fn declared(&self, app: &App) -> Result<JoinedWorkspaces, Failure> {
        let environment = &app.environment;
        let mut places: Vec<Declared> = found(app)?.into_iter().map(Declared::found).collect();
        if !self.workspaces.is_empty() {
            let base = environment.working_dir.as_deref().unwrap_or(Path::new("/"));
            places.push(Declared::typed(&self.workspaces, base.to_owned()));
        }
        Ok(join(places, environment.home()))
    }

    /// Everything for which a process that is started here refuses the Workspaces that are configured.
    pub(crate) fn problems(
        app: &App,
        ports: &WorkspacePorts,
    ) -> Result<Vec<ConfigProblem>, Failure> {
        let found = found(app)?;
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

    /// The Workspaces, open; nothing if none is declared. What a person should know of them is told.
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

    /// The Workspaces, open, for a command that is about them.
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
