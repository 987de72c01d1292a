//! The Workspaces of a process, the work of agents in them, and what people see of it.
//!
//! | file | contents |
//! |---|---|
//! | `declaration` | a Workspace as a person types it, `/docs=./docs:ro`; the declarations of each source, and the set that results from them |
//! | `directory` | directories as configuration names them, and whether they lie inside a project |
//! | `file_world` | opens the Workspaces; calls of agents; the Workspace and the history of a path |
//! | `review` | the changes of an overlay, page by page or line by line |
//! | `apply` | decisions about them: applying, dropping and forking, all of them or some |
//! | `log` | the changes of all files, page by page |
//! | `comparison` (feature `flow`) | comparison of two overlays, and writes of a run |
//! | `flow_tool` (feature `flow`) | the file tools as tools of flows |
//!
//! *Invariants*: the set of open Workspaces never changes, and a configuration with a problem opens nothing. A project
//! names only directories inside itself and only its own Virtual Stores. Replies to agents contain no path of the
//! machine; replies to people may.

mod apply;
#[cfg(feature = "flow")]
mod comparison;
mod declaration;
mod directory;
mod file_world;
#[cfg(feature = "flow")]
mod flow_tool;
mod log;
mod review;

pub use apply::{AppliedOverlay, ApplySeen, DropSeen, DroppedOverlay, OverlayReview, SeenChange};
pub use declaration::{Declared, DeclaredBy, JoinedWorkspaces, Mount, join};
pub use file_world::{FileHistory, FileWorld, ResolvedPath, ToolVerdict, WorkspaceShown};
#[cfg(feature = "flow")]
pub use flow_tool::flow_tools;
pub use log::FileLogQuery;
pub use piton_workspaces::audit::{Actor, AuditIntent, AuditRecord, FileBlame, LogPage};
pub use piton_workspaces::config::{WorkspaceConfig, WorkspacePorts};
pub use piton_workspaces::landlock::{AllowedDirectory, KernelSandbox, enclose};
pub use piton_workspaces::overlay::{
    Applied, DifferenceKind, LeftChange, LeftReason, OverlayDifference,
};
pub use piton_workspaces::tools::{ALIASES, card};
pub use piton_workspaces::virtual_store::{
    VirtualChecked, VirtualPorts, VirtualRepaired, check_virtual, kept_virtual, repair_virtual,
};
pub use piton_workspaces::{AccessScope, Tool};
pub use review::{OverlayChange, OverlayDiff};
