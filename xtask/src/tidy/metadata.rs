//! The part of `cargo metadata` that the checks on crate edges read.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process;

/// The packages of the workspace and of everything it depends on.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) resolve: Resolve,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) workspace_root: String,
}

/// One package with the dependencies it declares.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) manifest_path: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One declared dependency.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    #[serde(default)]
    pub(crate) kind: Kind,
    pub(crate) uses_default_features: bool,
    pub(crate) features: Vec<String>,
    pub(crate) path: Option<String>,
}

/// What a dependency is for.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(from = "Option<String>")]
pub(crate) enum Kind {
    #[default]
    Normal,
    Dev,
    Build,
}

impl From<Option<String>> for Kind {
    fn from(kind: Option<String>) -> Self {
        match kind.as_deref() {
            Some("dev") => Self::Dev,
            Some("build") => Self::Build,
            _ => Self::Normal,
        }
    }
}

/// The graph that cargo resolved, with the features of all crates united.
#[derive(Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

/// One package of the graph.
#[derive(Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) features: Vec<String>,
    pub(crate) deps: Vec<Link>,
}

/// One edge of the graph.
#[derive(Deserialize)]
pub(crate) struct Link {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<LinkKind>,
}

/// What an edge is for.
#[derive(Deserialize)]
pub(crate) struct LinkKind {
    #[serde(default)]
    pub(crate) kind: Kind,
}

impl Metadata {
    /// A workspace crate's short name: `crates/core` is `core`, `xtask` is `xtask`.
    pub(crate) fn short_name<'a>(&self, directory: &'a str) -> &'a str {
        let inside = directory.strip_prefix(&self.workspace_root).unwrap_or(directory);
        inside.rsplit('/').next().unwrap_or(inside)
    }

    /// The packages of the workspace itself.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        let members = &self.workspace_members;
        let packages = self.packages.iter();
        packages.filter(|package| members.contains(&package.id))
    }

    /// A package's manifest, from the repository root.
    pub(crate) fn manifest<'a>(&self, package: &'a Package) -> &'a str {
        let path = package.manifest_path.as_str();
        path.strip_prefix(&self.workspace_root)
            .map_or(path, |inside| inside.trim_start_matches('/'))
    }
}

/// Asks cargo; only this machine's platform, so that no other platform's crates are fetched.
pub(crate) fn read(root: &Path, cargo: &str) -> Result<String> {
    let rustc = process::output(root, "rustc", &["-vV"])?;
    let host = rustc
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc -vV names no host")?;
    let arguments = ["metadata", "--format-version=1", "--all-features"];
    let platform = ["--filter-platform", host];
    process::output(root, cargo, &[arguments.as_slice(), &platform].concat())
}

/// Reads what cargo printed.
pub(crate) fn parse(text: &str) -> Result<Metadata> {
    serde_json::from_str(text).context("cargo metadata has an unexpected shape")
}
