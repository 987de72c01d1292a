//! The directories that are searched for workflows, and their order.

use std::path::{Path, PathBuf};

use piton_workflow::SourceKind;

use crate::config::{SettingSource, Settings};

/// Directory of a project's workflows, below the project directory.
pub const PROJECT_WORKFLOWS: &str = ".piton/workflows";

/// Directory of a user's workflows, below the user's configuration directory.
pub const USER_WORKFLOWS: &str = "workflows";

/// A directory with workflow files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowSource {
    pub kind: SourceKind,
    pub directory: PathBuf,
    /// Set if the configuration names it, so that it has to exist.
    pub is_named: bool,
}

/// Returns the directories that are searched for a project, weakest first.
pub fn sources(
    settings: &Settings,
    user_dir: Option<&Path>,
    project: Option<&Path>,
) -> Vec<WorkflowSource> {
    let (named, place) = settings.workflow_dirs();
    let kind = if place == SettingSource::Project { SourceKind::Project } else { SourceKind::User };
    let user = user_dir.map(|dir| WorkflowSource {
        kind: SourceKind::User,
        directory: dir.join(USER_WORKFLOWS),
        is_named: false,
    });
    let named = named.iter().map(|directory| WorkflowSource {
        kind,
        directory: directory.clone(),
        is_named: true,
    });
    let project = project.map(|dir| WorkflowSource {
        kind: SourceKind::Project,
        directory: dir.join(PROJECT_WORKFLOWS),
        is_named: false,
    });
    user.into_iter().chain(named).chain(project).collect()
}
