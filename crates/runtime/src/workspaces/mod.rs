//! The Workspaces of a process: which there are, what agents do in them, and what people see of that.
//!
//! | file | does |
//! |---|---|
//! | `mount` | a Workspace as a person types it: `/docs=./docs:ro` |
//! | `declared`, `joined` | what each place declares, and what holds in the end |
//! | `inside` | whether a directory of a project lies inside it |
//! | `world` | opens the Workspaces; calls of agents, each recorded with who made it |
//! | `resolving` | which Workspace a path belongs to, and what may be done there |
//! | `history` | who changed a file |
//! | `branch` (feature `flow`) | what an overlay changed and what a run wrote, to be compared |
//! | `flow_tool` (feature `flow`) | the file tools as tools of flows |
//! | `review`, `lines` | what an overlay changed; applying and dropping it |
//! | `reply` | what comes out |
//!
//! *Invariants*: what is open never changes, and a configuration with a problem opens nothing. A project names only
//! directories inside of it and only Virtual Stores of its own. What agents are told names no path of the machine;
//! replies to people may.

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
