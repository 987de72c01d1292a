//! The Workspace of a path, and what may be done there.

use piton_core::Envelope;
use piton_workspaces::path::LogicalPath;
use piton_workspaces::{Error, Tool};

use super::reply::{ResolvedPath, ToolVerdict};
use super::world::FileWorld;

impl FileWorld {
    /// Returns the Workspace of a path, and the permission of each tool there. Does not access any Store.
    pub fn resolve(&self, path: &str) -> Result<ResolvedPath, Envelope> {
        let path = parsed(path)?;
        let Some((workspace, at)) = self.workspaces.find(&path) else {
            return Err(self.workspaces.unmapped(&path).envelope());
        };
        let permit = |tool: Tool| self.workspaces.permit(tool, tool.needs(), &path);
        let verdict = |tool: &Tool| ToolVerdict {
            tool: *tool,
            refused: permit(*tool).err().map(|error| error.to_string()),
        };
        // The message of any tool that reports the path as hidden will do.
        let hidden = Tool::ALL.iter().find_map(|tool| match permit(*tool) {
            Err(hidden @ Error::Hidden { .. }) => Some(hidden.to_string()),
            _ => None,
        });
        Ok(ResolvedPath {
            path: path.to_string(),
            workspace: self.shown_one(workspace),
            at: at.to_string(),
            hidden,
            tools: Tool::ALL.iter().map(verdict).collect(),
        })
    }
}

/// Parses a path from a person.
pub(super) fn parsed(path: &str) -> Result<LogicalPath, Envelope> {
    path.parse().map_err(|problem| Error::path(path, problem).envelope())
}
