//! Workspaces as people configure them, and opening them.
#![expect(
    clippy::disallowed_methods,
    reason = "directories of the machine are named here, once, at start"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::GIT_FILE_BYTES_MAX;
use crate::error::Error;
use crate::overlay::OverlayStore;
use crate::path::{LogicalPath, MountPath};
use crate::physical::{PhysicalOptions, PhysicalStore};
use crate::protection::{Protected, ReservedPath, protected_name, protected_names};
use crate::scope::AccessScope;
use crate::store::{Store, StoreFault};
use crate::virtual_store::{VirtualNamespace, VirtualPorts, VirtualStore};
use crate::workspaces::{Definition, Quota, Workspaces};

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

/// Resources for opening Workspaces.
#[derive(Clone)]
pub struct WorkspacePorts {
    /// Ports of persistent Virtual Stores.
    pub kept: VirtualPorts,
    /// Ports of Virtual Stores that last as long as the process.
    pub memory: VirtualPorts,
    /// Directory of Piton's configuration. Agents may only read it, in whichever Workspace it lies.
    pub configuration: Option<PathBuf>,
    /// Piton's data directory, which holds its keys and the records of all agents. No agent sees it.
    pub data: Option<PathBuf>,
}

/// Open Workspaces.
#[derive(Debug)]
pub struct Opened {
    pub workspaces: Workspaces,
    /// Overlays of the set, for those who may compare, apply or drop them.
    pub overlays: Vec<OpenedOverlay>,
    /// Mount of each Workspace.
    pub mounts: Vec<Mounted>,
    /// Remarks on settings that are allowed but deserve a look.
    pub warnings: Vec<String>,
}

/// The Mount of a Workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// Prefix of the Workspace.
    pub prefix: LogicalPath,
    /// Identity of the Mount, the same for every set that reaches the same directory or namespace. It may contain a
    /// path of the machine, so it is never shown to an agent.
    pub identity: String,
    /// Prefix of the lower Workspace, if it is an overlay.
    pub over: Option<LogicalPath>,
}

/// An open overlay.
#[derive(Clone)]
pub struct OpenedOverlay {
    /// Prefix of its Workspace.
    pub prefix: LogicalPath,
    /// Prefix of the lower Workspace.
    pub over: LogicalPath,
    pub store: OverlayStore,
}

impl std::fmt::Debug for OpenedOverlay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} over {}", self.prefix, self.over)
    }
}

/// Opens Workspaces. If anything is wrong, every problem is named and nothing is opened.
pub fn open(configs: &[WorkspaceConfig], ports: &WorkspacePorts) -> Result<Opened, Error> {
    // Overlays need lower Workspaces that are open already. The same Stores then become part of the whole set.
    let (mut base, mut stores) = (Vec::new(), Vec::new());
    for config in configs.iter().filter(|one| one.over.is_none()) {
        let store = store(config, ports);
        // A Store that cannot be opened is reported once; the overlays above it do not repeat the problem.
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

/// Returns the Mount of a Workspace, if its prefix is valid.
fn mounted(config: &WorkspaceConfig) -> Option<Mounted> {
    let prefix = config.prefix.parse().ok()?;
    let identity = match (&config.directory, &config.namespace, &config.memory) {
        (Some(directory), ..) => {
            // Different spellings of one directory have to share their records.
            let directory = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.clone());
            format!("directory {}", directory.display())
        }
        (None, Some(parts), _) => format!("virtual {parts:?}"),
        (None, None, parts) => format!("memory {parts:?}"),
    };
    let over = config.over.as_deref().and_then(|over| over.parse().ok());
    Some(Mounted { prefix, identity, over })
}

/// Defines a Workspace without its Store. `below` is the lower Workspace of an overlay, otherwise the Workspace itself.
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

/// Returns the protected paths of a directory beyond protected names: Piton's own directories, the targets of protected
/// names in it, and the directory itself if it lies in something protected.
fn reserved(given: &Path, ports: &WorkspacePorts) -> Vec<ReservedPath> {
    let real = |path: &Path| {
        // A path that does not exist yet is resolved through its closest existing ancestor.
        let (above, found) = path
            .ancestors()
            .find_map(|above| Some((above, std::fs::canonicalize(above).ok()?)))
            .unwrap_or((path, path.to_owned()));
        found.join(path.strip_prefix(above).unwrap_or(Path::new("")))
    };
    let directory = real(given);
    let inside = |one: &Path, why| {
        let one = real(one);
        // A Mount inside the protected directory is protected as a whole.
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

/// Returns the target of something with a protected name: of a link, or of the `.git` of a worktree.
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

/// Returns the protected name that a directory has or lies below, if there is one. Names above a checkout do not count
/// for it, because clients create worktrees in directories of their own.
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

/// Opens the Store of a Workspace that is not an overlay, or returns the reason that there is none.
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

/// Problem of a Workspace that has no Mount, or several.
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

/// Opens the overlay of a Workspace that is one, or returns the reason that there is none.
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

/// Describes why a directory cannot be opened. The person who configured it knows its path.
fn missing(fault: StoreFault) -> String {
    match fault {
        StoreFault::NotFound => "has a `directory` that does not exist".into(),
        StoreFault::NotDirectory => "has a `directory` that is a file".into(),
        other => format!("has a `directory` that {other}"),
    }
}

/// Warns of directories that two Workspaces reach under different scopes, if their paths do not show it.
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
