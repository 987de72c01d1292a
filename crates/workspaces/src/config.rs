//! Workspaces as people configure them, and opening them.
#![expect(
    clippy::disallowed_methods,
    reason = "directories of the machine are named here, once, at start"
)]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    overlay::OverlayStore,
    path::LogicalPath,
    physical::{PhysicalOptions, PhysicalStore},
    quota::Quota,
    scope::AccessScope,
    store::{Fault, Store},
    virtual_store::{Namespace, VirtualPorts, VirtualStore},
    workspace::Definition,
    workspaces::Workspaces,
};

/// One Workspace as it stands in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceConfig {
    /// Where it begins in the file world of the agent.
    pub prefix: String,
    /// The name of its Access Scope.
    pub scope: String,
    /// What it is for, in one line.
    #[serde(default)]
    pub purpose: String,
    /// Names that are hidden.
    #[serde(default)]
    pub deny: Vec<String>,
    /// A directory of the machine.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// The namespace of a Virtual Store that is kept.
    #[serde(default, rename = "virtual")]
    pub namespace: Option<Vec<String>>,
    /// The namespace of a Virtual Store that lasts as long as the process.
    #[serde(default)]
    pub memory: Option<Vec<String>>,
    /// The prefix of the Workspace that an overlay lies over; its changes are kept in `virtual` or
    /// `memory`.
    #[serde(default)]
    pub over: Option<String>,
    /// Whether links that stay inside the directory are followed.
    #[serde(default)]
    pub links: bool,
    /// Whether files that have other names elsewhere are refused.
    #[serde(default)]
    pub deny_hard_links: bool,
    /// How many bytes it may hold.
    #[serde(default)]
    pub bytes_max: Option<u64>,
    /// How many files it may hold.
    #[serde(default)]
    pub files_max: Option<u64>,
}

/// What Workspaces are opened with.
#[derive(Clone)]
pub struct WorkspacePorts {
    /// For Virtual Stores that are kept.
    pub kept: VirtualPorts,
    /// For those that last as long as the process.
    pub memory: VirtualPorts,
}

/// Workspaces that are open.
#[derive(Debug)]
pub struct Opened {
    /// The set.
    pub workspaces: Workspaces,
    /// What is allowed and still worth a look.
    pub warnings: Vec<String>,
}

/// Opens Workspaces. If anything is wrong, every problem is named and nothing is open.
pub fn open(configs: &[WorkspaceConfig], ports: &WorkspacePorts) -> Result<Opened, Error> {
    let first = configs.iter().filter(|one| one.over.is_none());
    let base: Vec<Definition> = first.map(|one| define(one, ports, None)).collect();
    let warnings = warnings(configs);
    if configs.iter().all(|one| one.over.is_none()) {
        return Ok(Opened { workspaces: Workspaces::new(base)?, warnings });
    }
    // Overlays lie over Workspaces that are open already; the same Stores then form the whole set.
    let stores: Vec<_> = base.iter().map(|one| one.store.clone()).collect();
    let lower = Workspaces::new(base);
    let lower = lower.as_ref().ok();
    let mut stores = stores.into_iter();
    let definitions = configs.iter().map(|one| match &one.over {
        None => {
            let store = stores.next().expect("there is a Store for each that is no overlay");
            Definition { store, ..define_without_store(one) }
        }
        Some(_) => define(one, ports, lower),
    });
    Ok(Opened { workspaces: Workspaces::new(definitions.collect())?, warnings })
}

fn define_without_store(config: &WorkspaceConfig) -> Definition {
    Definition {
        prefix: config.prefix.clone(),
        scope: config.scope.clone(),
        purpose: config.purpose.clone(),
        deny: config.deny.clone(),
        store: Err(String::new()),
    }
}

fn define(
    config: &WorkspaceConfig,
    ports: &WorkspacePorts,
    lower: Option<&Workspaces>,
) -> Definition {
    Definition { store: store(config, ports, lower), ..define_without_store(config) }
}

/// The Store of a Workspace, or why there is none.
fn store(
    config: &WorkspaceConfig,
    ports: &WorkspacePorts,
    lower: Option<&Workspaces>,
) -> Result<Arc<dyn Store>, String> {
    let quota = (config.bytes_max.is_some() || config.files_max.is_some()).then(|| Quota {
        bytes_max: config.bytes_max.unwrap_or(u64::MAX),
        files_max: config.files_max.unwrap_or(u64::MAX),
    });
    let virtual_store = |ports: &VirtualPorts, parts: &[String]| {
        let namespace = Namespace::new(parts).map_err(|why| format!("is refused: {why}"))?;
        Ok::<_, String>(VirtualStore::new(ports.clone(), &namespace, quota))
    };
    let upper = match (&config.directory, &config.namespace, &config.memory) {
        (Some(directory), None, None) if config.over.is_none() => {
            let options = PhysicalOptions {
                links: config.links,
                deny_hard_links: config.deny_hard_links,
                quota,
                by_name: false,
            };
            let entropy = Arc::clone(&ports.kept.entropy);
            let opened = PhysicalStore::open(directory, options, entropy);
            return opened.map(|store| Arc::new(store) as Arc<dyn Store>).map_err(missing);
        }
        (None, Some(parts), None) => virtual_store(&ports.kept, parts)?,
        (None, None, Some(parts)) => virtual_store(&ports.memory, parts)?,
        _ if config.over.is_some() => {
            return Err(
                "is an overlay, so it needs `virtual` or `memory` and no `directory`".into()
            );
        }
        _ => return Err("needs exactly one of `directory`, `virtual` and `memory`".into()),
    };
    let Some(over) = &config.over else {
        return Ok(Arc::new(upper));
    };
    let path: LogicalPath = over.parse().map_err(|why| format!("lies over no path: {why}"))?;
    let found = lower.and_then(|lower| lower.find(&path)).filter(|(_, at)| at.is_root());
    let Some((lower, _)) = found else {
        return Err(format!("lies over {path}, which is no Workspace with a Store of its own"));
    };
    if lower.scope() == AccessScope::WriteOnly {
        return Err(format!("lies over {path}, which is write-only"));
    }
    Ok(Arc::new(OverlayStore::new(upper, lower)))
}

/// Why a directory cannot be opened. The person who configured it knows its path.
fn missing(fault: Fault) -> String {
    match fault {
        Fault::NotFound => "has a `directory` that does not exist".into(),
        Fault::NotDirectory => "has a `directory` that is a file".into(),
        other => format!("has a `directory` that {other}"),
    }
}

/// Directories that two Workspaces reach under different scopes, where the paths do not say so.
fn warnings(configs: &[WorkspaceConfig]) -> Vec<String> {
    let real = |config: &WorkspaceConfig| {
        let directory = std::fs::canonicalize(config.directory.as_ref()?).ok()?;
        Some((config.prefix.parse::<LogicalPath>().ok()?, config.scope.clone(), directory))
    };
    let places: Vec<_> = configs.iter().filter_map(real).collect();
    let mut warnings = Vec::new();
    for (at, (outer, outer_scope, outer_directory)) in places.iter().enumerate() {
        for (other, (inner, inner_scope, inner_directory)) in places.iter().enumerate() {
            let Ok(below) = inner_directory.strip_prefix(outer_directory) else {
                continue;
            };
            let same = below == Path::new("");
            if at == other || (same && other < at) || outer_scope == inner_scope {
                continue;
            }
            let nested = inner.below(outer).is_some_and(|path| Path::new(path.as_str()) == below);
            if !nested {
                warnings.push(format!(
                    "{outer} ({outer_scope}) and {inner} ({inner_scope}) reach the same files; the wider of the two scopes counts for them"
                ));
            }
        }
    }
    warnings
}
