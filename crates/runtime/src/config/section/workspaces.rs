//! `[[workspaces]]`: the files that agents may touch.

use std::path::{Component, Path};

use piton_workspaces::AccessScope;
use piton_workspaces::config::WorkspaceConfig;
use piton_workspaces::path::LogicalPath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::table::{Section, SectionKey, Wrong};
use crate::config::SettingSource;

/// The Workspaces that agents see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct WorkspacesSection(pub Vec<WorkspaceConfig>);

impl Section for WorkspacesSection {
    const KEY: SectionKey = SectionKey::Workspaces;
    const MEANING: &str = "The files that agents may touch: Workspaces, each with a prefix, an Access Scope and a Store.";
    const EXAMPLE: &str = "\
[[workspaces]]
prefix = \"/project\"
scope = \"read-only\"
directory = \".\"
purpose = \"the code under review\"";

    fn check(&self, place: SettingSource) -> Vec<Wrong> {
        let entries = self.0.iter().enumerate();
        entries.flat_map(|(entry, config)| wrong(entry, config, place)).collect()
    }
}

/// Returns the problems of a Workspace that can be found without looking at the disk.
fn wrong(entry: usize, config: &WorkspaceConfig, place: SettingSource) -> Vec<Wrong> {
    let of = |reason: String, fix: &str| Wrong { entry: Some(entry), reason, fix: fix.to_owned() };
    let mut wrong = Vec::new();
    if let Err(why) = config.prefix.parse::<LogicalPath>() {
        let reason = format!("the prefix `{}` is refused: {why}", config.prefix);
        wrong.push(of(reason, "write a path as agents see it, such as `prefix = \"/project\"`"));
    }
    if config.scope.parse::<AccessScope>().is_err() {
        let reason = format!("`{}` is not an Access Scope", config.scope);
        wrong.push(of(reason, &format!("write one of {}", AccessScope::NAMES.join(", "))));
    }
    let stores = [&config.namespace, &config.memory].into_iter().flatten().count();
    match (config.directory.is_some(), stores, config.over.is_some()) {
        (true, 0, false) | (false, 1, _) => {}
        (_, _, true) => wrong.push(of(
            format!("the overlay {} needs a place for its changes", config.prefix),
            "write exactly one of `virtual = [\"NAME\"]` and `memory = [\"NAME\"]` beside `over`",
        )),
        _ => wrong.push(of(
            format!("{} needs one Store", config.prefix),
            "write exactly one of `directory = \"./docs\"`, `virtual = [\"NAME\"]` and `memory = [\"NAME\"]`",
        )),
    }
    if let Some(directory) = config.directory.as_deref()
        && place == SettingSource::Project
        && leaves(directory)
    {
        wrong.push(of(
            format!("a project may not name `{}`, which is outside of it", directory.display()),
            "name a directory below the one of this file, or declare it in your own configuration file",
        ));
    }
    wrong
}

/// True if the path of a project's directory leads out of the project. Links are checked when it is opened.
fn leaves(directory: &Path) -> bool {
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    directory.starts_with("~") || !directory.components().all(inside)
}
