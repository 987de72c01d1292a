//! The texts that agents read about the set. The Workspaces themselves describe each tool and its arguments.

use piton_runtime::workspaces::Tool;

/// Placeholder for the Filesystem Map while there is no connection.
pub(super) const MAP: &str = "\
Files: (here stands the Filesystem Map: each Workspace with its prefix, its scope and its purpose, and nothing of the \
machine.)";

/// Description of the structured content of an answer.
pub(super) const NO_STRUCTURE: &str = "There is no structured content: the answer is text.";

/// Returns the title of a tool for people.
pub(super) const fn title(tool: Tool) -> &'static str {
    match tool {
        Tool::Ls => "List",
        Tool::Read => "Read",
        Tool::Write => "Write",
        Tool::Edit => "Edit",
        Tool::Glob => "Find files",
        Tool::Grep => "Search files",
        Tool::Stat => "Look",
        Tool::Copy => "Copy",
        Tool::Move => "Move",
        Tool::Delete => "Delete",
        Tool::Mkdir => "New directory",
    }
}
