//! What agents are told about the set. What a tool does and takes is said by the Workspaces themselves.

use piton_runtime::workspaces::Tool;

/// What stands in the place of the Filesystem Map where there is no connection yet.
pub(super) const MAP: &str = "\
Files: (here stands the Filesystem Map: each Workspace with its prefix, its scope and its purpose, and nothing of the \
machine.)";

/// What the structured content of an answer is.
pub(super) const NO_STRUCTURE: &str = "There is no structured content: the answer is text.";

/// What a person reads a tool is called.
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
