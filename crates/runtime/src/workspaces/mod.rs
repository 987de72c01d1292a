//! The Workspaces of a process, the work of agents in them, and what people see of it.
//!
//! | file | contents |
//! |---|---|
//! | `mount` | a Workspace as a person types it: `/docs=./docs:ro` |
//! | `declared`, `joined` | the declarations of each source, and the resulting set |
//! | `inside` | whether a directory of a project lies inside it |
//! | `world` | opens the Workspaces; calls of agents, each recorded with its author |
//! | `resolving` | the Workspace of a path, and what may be done there |
//! | `history` | the history of a file |
//! | `branch` (feature `flow`) | changes of an overlay and writes of a run, for comparisons |
//! | `flow_tool` (feature `flow`) | the file tools as tools of flows |
//! | `review`, `lines` | the changes of an overlay; applying and dropping it |
//! | `reply` | replies |
//!
//! *Invariants*: the set of open Workspaces never changes, and a configuration with a problem opens nothing. A project
//! names only directories inside itself and only its own Virtual Stores. Replies to agents contain no path of the
//! machine; replies to people may.

#[cfg(feature = "flow")]
mod branch;
mod declared;
#[cfg(feature = "flow")]
mod flow_tool;
mod history;
mod inside;
mod joined;
mod lines;
mod mount;
mod reply;
mod resolving;
mod review;
mod world;

#[cfg(feature = "flow")]
pub(crate) use branch::OverlayBranch;
pub use declared::{Declared, DeclaredBy};
#[cfg(feature = "flow")]
pub use flow_tool::flow_tools;
pub use joined::{JoinedWorkspaces, join};
pub use mount::Mount;
pub use piton_workspaces::config::{WorkspaceConfig, WorkspacePorts};
pub use piton_workspaces::landlock::{AllowedDirectory, KernelSandbox, enclose};
pub use piton_workspaces::overlay::{DifferenceKind, LeftReason, OverlayDifference};
pub use piton_workspaces::tools::{ALIASES, ToolCard, cards};
pub use piton_workspaces::virtual_store::{
    VirtualChecked, VirtualPorts, VirtualRepaired, check_virtual, kept_virtual, repair_virtual,
};
pub use piton_workspaces::{AccessScope, Actor, Tool};
pub use reply::{
    AppliedOverlay, ChangeShown, DroppedOverlay, FileHistory, LeftShown, OverlayDiff, RecordShown,
    ResolvedPath, ToolVerdict, WorkspaceShown,
};
pub use world::FileWorld;
