//! Workspaces as people configure them, and opening them.
#![expect(
    clippy::disallowed_methods,
    reason = "directories of the machine are named here, once, at start"
)]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    bounds::GIT_FILE_BYTES_MAX,
    error::Error,
    overlay::OverlayStore,
    path::{LogicalPath, MountPath},
    physical::{PhysicalOptions, PhysicalStore},
    protection::{Protected, ReservedPath, protected_name, protected_names},
    quota::Quota,
    scope::AccessScope,
    store::{Store, StoreFault},
    virtual_store::{VirtualNamespace, VirtualPorts, VirtualStore},
    workspace::Definition,
    workspaces::Workspaces,
};

/// One Workspace as it stands in a configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Names that agents only read everywhere, and may change here: `.git`, `.vscode` and others of the kind.
    #[serde(default)]
    pub writable: Vec<String>,
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
    /// Whether what is mounted inside the directory is followed: other file systems, and directories from elsewhere.
    #[serde(default)]
    pub mounts: bool,
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
    /// The directory of Piton's configuration. Agents only read it, whichever Workspace it lies in.
    pub configuration: Option<PathBuf>,
    /// Piton's data directory, which holds its keys and everybody's records. No agent sees it.
    pub data: Option<PathBuf>,
}

/// Workspaces that are open.
#[derive(Debug)]
pub struct Opened {
    /// The set.
    pub workspaces: Workspaces,
    /// Its overlays, to be compared, applied or dropped by whoever may.
    pub overlays: Vec<OpenedOverlay>,
    /// Where each Workspace is mounted.
    pub mounts: Vec<Mounted>,
    /// What is allowed and still worth a look.
    pub warnings: Vec<String>,
}

/// Where a Workspace is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// The prefix of the Workspace.
    pub prefix: LogicalPath,
    /// What its Mount is, whoever reaches it: the same for the same directory or namespace. It may
    /// hold a path of the machine, so no agent is told it.
    pub identity: String,
    /// The prefix of the Workspace that it lies over, if it is an overlay.
    pub over: Option<LogicalPath>,
}

/// An overlay that is open.
#[derive(Clone)]
pub struct OpenedOverlay {
    /// The prefix of its Workspace.
    pub prefix: LogicalPath,
    /// The prefix of the Workspace that it lies over.
    pub over: LogicalPath,
    /// The overlay.
    pub store: OverlayStore,
}

impl std::fmt::Debug for OpenedOverlay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} over {}", self.prefix, self.over)
    }
}

/// Opens Workspaces. If anything is wrong, every problem is named and nothing is open.
pub fn open(configs: &[WorkspaceConfig], ports: &WorkspacePorts) -> Result<Opened, Error> {
    // Overlays lie over Workspaces that are open already; the same Stores then form the whole set.
    let (mut base, mut stores) = (Vec::new(), Vec::new());
    for config in configs.iter().filter(|one| one.over.is_none()) {
        let store = store(config, ports);
        // One that cannot be opened is named for itself; those that lie over others are not to blame for it.
        if store.is_ok() {
            base.push(Definition { store: store.clone(), ..define(config, config, ports) });
        }
        stores.push(store);
    }
    let lower = Workspaces::new(base).ok();
    let mut stores = stores.into_iter();
    let (mut definitions, mut overlays) = (Vec::new(), Vec::new());
    for config in configs {
        let below = configs.iter().find(|one| config.over.as_ref() == Some(&one.prefix));
        let store = if config.over.is_none() {
            stores.next().expect("there is a Store for each that is no overlay")
        } else if let Some(lowest) = below.and_then(|below| below.over.as_ref()) {
            let over = config.over.as_deref().unwrap_or_default();
            Err(format!(
                "lies over {over}, which is an overlay itself; lay it over {lowest} instead"
            ))
        } else {
            let overlay = overlay(config, ports, lower.as_ref());
            overlays.extend(overlay.as_ref().ok().cloned());
            overlay.map(|overlay| Arc::new(overlay.store) as Arc<dyn Store>)
        };
        definitions.push(Definition { store, ..define(config, below.unwrap_or(config), ports) });
    }
    let workspaces = Workspaces::new(definitions)?;
    let mounts = configs.iter().filter_map(mounted).collect();
    Ok(Opened { workspaces, overlays, mounts, warnings: warnings(configs) })
}

/// Where a Workspace is mounted, if it is.
fn mounted(config: &WorkspaceConfig) -> Option<Mounted> {
    let prefix = config.prefix.parse().ok()?;
    let identity = match (&config.directory, &config.namespace, &config.memory) {
        (Some(directory), ..) => {
            let directory = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.clone());
            format!("directory {}", directory.display())
        }
        (None, Some(parts), _) => format!("virtual {parts:?}"),
        (None, None, parts) => format!("memory {parts:?}"),
    };
    let over = config.over.as_deref().and_then(|over| over.parse().ok());
    Some(Mounted { prefix, identity, over })
}

/// A Workspace without its Store; `below` is what an overlay lies over, else the Workspace itself.
fn define(config: &WorkspaceConfig, below: &WorkspaceConfig, ports: &WorkspacePorts) -> Definition {
    Definition {
        prefix: config.prefix.clone(),
        scope: config.scope.clone(),
        purpose: config.purpose.clone(),
        deny: config.deny.clone(),
        writable: config.writable.clone(),
        reserved: below.directory.as_deref().map_or_else(Vec::new, |at| reserved(at, ports)),
        store: Err(String::new()),
    }
}

/// What is protected in a directory beside names: what is Piton's own, what protected names in it lead to, and the
/// directory itself if it lies in something protected.
fn reserved(given: &Path, ports: &WorkspacePorts) -> Vec<ReservedPath> {
    let real = |path: &Path| {
        // What does not exist yet is found by what does.
        let (above, found) = path
            .ancestors()
            .find_map(|above| Some((above, std::fs::canonicalize(above).ok()?)))
            .unwrap_or((path, path.to_owned()));
        found.join(path.strip_prefix(above).unwrap_or(Path::new("")))
    };
    let directory = real(given);
    let inside = |one: &Path, why| {
        let one = real(one);
        let path = if directory.starts_with(&one) {
            MountPath::root()
        } else {
            one.strip_prefix(&directory).ok()?.to_str()?.parse().ok()?
        };
        Some(ReservedPath::new(path, why))
    };
    let leads = |name: &'static str| {
        let leads_to = protected_target(&directory.join(name))?;
        inside(&leads_to, Protected::Name(name))
    };
    let above = [given, &directory].into_iter().filter_map(protected_above);
    let above = above.map(|name| ReservedPath::new(MountPath::root(), Protected::Name(name)));
    let own = |path: &Option<PathBuf>, why| path.as_ref().and_then(|path| inside(path, why));
    let data = own(&ports.data, Protected::Data);
    let configuration = own(&ports.configuration, Protected::Configuration);
    data.into_iter()
        .chain(configuration)
        .chain(protected_names().filter_map(leads))
        .chain(above)
        .collect()
}

/// Where something with a protected name leads: a link, or the `.git` of a worktree.
fn protected_target(path: &Path) -> Option<PathBuf> {
    let found = std::fs::symlink_metadata(path).ok()?;
    if found.is_symlink() {
        return std::fs::canonicalize(path).ok();
    }
    if !found.is_file() || found.len() > GIT_FILE_BYTES_MAX || !path.ends_with(".git") {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let directory = text.strip_prefix("gitdir:")?.trim();
    Some(path.parent()?.join(directory))
}

/// The protected name that a directory has or lies below, if there is one. What is above a checkout does not count for
/// it: clients make worktrees in directories of their own.
fn protected_above(directory: &Path) -> Option<&'static str> {
    for above in directory.ancestors() {
        let name = above.file_name().and_then(|name| name.to_str());
        if let Some(name) = name.and_then(protected_name) {
            return Some(name);
        }
        if above.join(".git").exists() {
            break;
        }
    }
    None
}

fn quota(config: &WorkspaceConfig) -> Option<Quota> {
    (config.bytes_max.is_some() || config.files_max.is_some()).then(|| Quota {
        bytes_max: config.bytes_max.unwrap_or(u64::MAX),
        files_max: config.files_max.unwrap_or(u64::MAX),
    })
}

/// The Store of a Workspace that is no overlay, or why there is none.
fn store(config: &WorkspaceConfig, ports: &WorkspacePorts) -> Result<Arc<dyn Store>, String> {
    match (&config.directory, &config.namespace, &config.memory) {
        (Some(directory), None, None) => {
            let options = PhysicalOptions {
                links: config.links,
                mounts: config.mounts,
                deny_hard_links: config.deny_hard_links,
                quota: quota(config),
                by_name: false,
            };
            let entropy = Arc::clone(&ports.kept.entropy);
            let opened = PhysicalStore::open(directory, options, entropy);
            opened.map(|store| Arc::new(store) as Arc<dyn Store>).map_err(missing)
        }
        (None, _, _) => Ok(Arc::new(virtual_store(config, ports)?)),
        _ => Err(ONE_MOUNT.into()),
    }
}

/// What a Workspace is told that has no Mount, or several.
const ONE_MOUNT: &str = "needs exactly one of `directory`, `virtual` and `memory`";

fn virtual_store(config: &WorkspaceConfig, ports: &WorkspacePorts) -> Result<VirtualStore, String> {
    let (chosen, names) = match (&config.namespace, &config.memory) {
        (Some(names), None) => (&ports.kept, names),
        (None, Some(names)) => (&ports.memory, names),
        _ if config.over.is_some() => {
            return Err("is an overlay, so it needs `virtual` or `memory`".into());
        }
        _ => return Err(ONE_MOUNT.into()),
    };
    let namespace = VirtualNamespace::new(names).map_err(|why| format!("is refused: {why}"))?;
    Ok(VirtualStore::new(chosen.clone(), &namespace, quota(config)))
}

/// The overlay of a Workspace that is one, or why there is none.
fn overlay(
    config: &WorkspaceConfig,
    ports: &WorkspacePorts,
    lower: Option<&Workspaces>,
) -> Result<OpenedOverlay, String> {
    if config.directory.is_some() {
        return Err("is an overlay, so it has no `directory`".into());
    }
    let upper = virtual_store(config, ports)?;
    let over = config.over.as_deref().unwrap_or_default();
    let over: LogicalPath = over.parse().map_err(|why| format!("lies over no path: {why}"))?;
    let prefix = config.prefix.parse().map_err(|why| format!("is no path: {why}"))?;
    let found = lower.and_then(|lower| lower.find(&over)).filter(|(_, at)| at.is_root());
    let Some((lower, _)) = found else {
        return Err(format!("lies over {over}, which is no Workspace that is open"));
    };
    if lower.scope() == AccessScope::WriteOnly {
        return Err(format!("lies over {over}, which is write-only"));
    }
    Ok(OpenedOverlay { prefix, over, store: OverlayStore::new(upper, lower) })
}

/// Why a directory cannot be opened. The person who configured it knows its path.
fn missing(fault: StoreFault) -> String {
    match fault {
        StoreFault::NotFound => "has a `directory` that does not exist".into(),
        StoreFault::NotDirectory => "has a `directory` that is a file".into(),
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
