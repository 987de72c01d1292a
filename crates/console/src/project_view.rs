//! The console as it shows one project: the directory whose workflows, Workspaces and context are meant. Runs, backpacks
//! and search are across all projects.
//!
//! *Invariants*: the projects are fixed when the console starts, because its sandbox is. A request about another one is
//! refused, never answered about the first.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::{Code, Envelope, shorten, visible};
use piton_runtime::context::{AgentContext, ProjectContext};
use piton_runtime::provenance::Worlds;
use piton_runtime::request::{GetArtifact, RunAddress};
use piton_runtime::workspaces::FileWorld;
use piton_runtime::{Connection, Whereabouts};
use schemars::JsonSchema;
use serde::Serialize;

use crate::bounds::PROJECT_QUOTED_BYTES_MAX;
use crate::console::Console;
use crate::run_file::run_file;

/// A project that a person can choose, with what it has.
pub struct ConsoleProject {
    pub directory: PathBuf,
    /// Its Workspaces, if it has any.
    pub files: Option<Arc<FileWorld>>,
    /// Its context, if it has any.
    pub frames: Option<ProjectContext>,
}

/// A project as a page offers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectChoice {
    /// Its directory, which names it in requests.
    path: String,
    /// The end of the path that no other project has.
    name: String,
}

/// Returns the choices among projects.
pub(crate) fn choices<'a>(directories: impl Iterator<Item = &'a Path>) -> Vec<ProjectChoice> {
    let paths: Vec<String> = directories.map(|path| path.display().to_string()).collect();
    let is_own = |end: &&str| {
        !end.is_empty() && paths.iter().filter(|path| path.ends_with(end)).count() == 1
    };
    let choice = |path: &String| {
        let ends = path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]);
        let name = ends.chain([path.as_str()]).find(is_own).unwrap_or(path).to_owned();
        ProjectChoice { path: path.clone(), name }
    };
    paths.iter().map(choice).collect()
}

/// The console, and the project that a request is about.
#[derive(Clone)]
pub(crate) struct ProjectView {
    console: Arc<Console>,
    project: Option<Arc<ConsoleProject>>,
}

impl Deref for ProjectView {
    type Target = Console;

    fn deref(&self) -> &Console {
        &self.console
    }
}

impl ProjectView {
    /// Returns the view of the project at `path`, or of the first one.
    pub(crate) fn new(console: Arc<Console>, path: Option<&str>) -> Result<Self, Envelope> {
        let project = match path {
            None => console.projects.first().cloned(),
            Some(path) => {
                let is_meant =
                    |project: &&Arc<ConsoleProject>| project.directory == Path::new(path);
                let project = console.projects.iter().find(is_meant);
                Some(Arc::clone(project.ok_or_else(|| unknown(path))?))
            }
        };
        Ok(Self { console, project })
    }

    /// Returns the use cases that depend on the project.
    pub(crate) fn connect(&self) -> Connection {
        let working_dir = self.project().map(Path::to_owned);
        self.runtime.connect(Whereabouts { working_dir, ..Whereabouts::default() })
    }

    /// Returns the project directory.
    pub(crate) fn project(&self) -> Option<&Path> {
        self.project.as_ref().map(|project| &*project.directory)
    }

    /// Returns the Workspaces of the project, if it has any.
    pub(crate) fn declared_files(&self) -> Option<&FileWorld> {
        self.project.as_ref().and_then(|project| project.files.as_deref())
    }

    /// Returns the Workspaces of the project.
    pub(crate) fn files(&self) -> Result<&FileWorld, Envelope> {
        self.declared_files().ok_or_else(|| {
            Envelope::new(Code::WorkspaceConfig, "This project declares no Workspaces.")
                .with_suggestion(
                    "Add a `[[workspaces]]` table to piton.toml, then start the console again.",
                )
        })
    }

    fn frames(&self) -> Option<&ProjectContext> {
        self.project.as_ref().and_then(|project| project.frames.as_ref())
    }

    /// Returns the context of the project, as a person reads it.
    pub(crate) fn context(&self) -> Result<AgentContext, Envelope> {
        let frames = self.frames().ok_or_else(|| {
            Envelope::new(Code::ContextUnreadable, "This project has no context.")
                .with_suggestion("Run `piton context scan` in it, then start the console again.")
        })?;
        frames.act_as(None)
    }

    /// Returns everything that can be compared.
    pub(crate) fn worlds(&self) -> Worlds<'_> {
        Worlds { backpacks: &self.backpacks, files: self.declared_files(), frames: self.frames() }
    }

    /// Reads a whole artifact.
    pub(crate) async fn artifact(&self, digest: String) -> Result<Vec<u8>, Envelope> {
        let (connection, mut text, mut offset) = (self.connect(), String::new(), None);
        loop {
            let part =
                connection.get_artifact(&GetArtifact { digest: digest.clone(), offset }).await?;
            text.push_str(&part.text);
            offset = part.next_offset;
            if offset.is_none() {
                return Ok(text.into_bytes());
            }
        }
    }

    /// Returns a run as one HTML file.
    pub(crate) async fn run_file(&self, at: RunAddress) -> Result<Vec<u8>, Envelope> {
        let machine = self.machine.clone().directory(self.project());
        let run = self.runtime.export_run(at, &self.worlds(), machine).await?;
        Ok(run_file(&run).into_bytes())
    }
}

fn unknown(path: &str) -> Envelope {
    let path = shorten(&visible(path), PROJECT_QUOTED_BYTES_MAX).into_owned();
    let message = format!("The console does not show the project {path}.");
    Envelope::new(Code::ValidationError, message).with_suggestion(
        "Choose another project, or start the console again with `--project` and its directory.",
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::choices;

    fn check(paths: &[&str], expected: &[&str]) {
        let names: Vec<String> =
            choices(paths.iter().map(Path::new)).into_iter().map(|choice| choice.name).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn a_project_is_called_by_the_end_of_its_path_that_is_its_own() {
        check(&[], &[]);
        check(&["/home/mara/shop"], &["shop"]);
        check(&["/a/shop", "/b/shop", "/b/tools"], &["a/shop", "b/shop", "tools"]);
        check(&["/x/my-shop", "/y/shop"], &["my-shop", "y/shop"]);
        check(&["/"], &["/"]);
    }
}
