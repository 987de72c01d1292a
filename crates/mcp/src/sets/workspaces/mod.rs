//! The set `files`: each tool is one operation on the Workspaces of the process.

mod set;

pub(super) use set::WorkspaceTools;
