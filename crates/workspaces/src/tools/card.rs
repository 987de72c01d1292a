//! The tools as models read them: titles, descriptions, schemas and hints.

use std::sync::{Arc, LazyLock};

use piton_core::tool_card::{Hints, Object, ToolCard, brief_input};

use super::request::{
    CopyRequest, DeleteRequest, EditRequest, GlobRequest, GrepRequest, LsRequest, MkdirRequest,
    MoveRequest, ReadRequest, StatRequest, WriteRequest,
};
use crate::scope::Tool;

/// Description of the structured content of every reply.
const NO_STRUCTURE: &str = "There is no structured content: the answer is text.";

/// Returns the card of a tool.
pub fn card(tool: Tool) -> &'static ToolCard {
    static CARDS: LazyLock<Vec<ToolCard>> =
        LazyLock::new(|| Tool::ALL.iter().map(|tool| build_card(*tool)).collect());
    &CARDS[tool as usize]
}

fn build_card(tool: Tool) -> ToolCard {
    let (title, description, input) = describe(tool);
    let read_only = !tool.changes();
    ToolCard {
        name: tool.as_str(),
        title,
        description: description.to_owned(),
        hints: Hints {
            read_only,
            destructive: matches!(tool, Tool::Write | Tool::Edit | Tool::Delete),
            idempotent: read_only || tool == Tool::Mkdir,
        },
        input: Arc::new(input),
        output: Arc::new(Object::from_iter([("description".to_owned(), NO_STRUCTURE.into())])),
    }
}

/// Returns the title for people, the description for models and the schema of the arguments.
fn describe(tool: Tool) -> (&'static str, &'static str, Object) {
    match tool {
        Tool::Ls => (
            "List",
            "List a directory: `name/`, or a file's name and bytes.",
            brief_input::<LsRequest>(),
        ),
        Tool::Read => (
            "Read",
            "Read a text file. The reply begins with which lines follow, their version and the next offset.",
            brief_input::<ReadRequest>(),
        ),
        Tool::Write => ("Write", "Create or replace a file.", brief_input::<WriteRequest>()),
        Tool::Edit => (
            "Edit",
            "Replace a text that occurs exactly once in a file.",
            brief_input::<EditRequest>(),
        ),
        Tool::Glob => {
            ("Find files", "Find files by name, sorted by path.", brief_input::<GlobRequest>())
        }
        Tool::Grep => (
            "Search files",
            "Find lines in files, sorted by path: `path:line:text`.",
            brief_input::<GrepRequest>(),
        ),
        Tool::Stat => (
            "Look",
            "Kind, bytes, version, time and Workspace of a path.",
            brief_input::<StatRequest>(),
        ),
        Tool::Copy => ("Copy", "Copy a file.", brief_input::<CopyRequest>()),
        Tool::Move => ("Move", "Move or rename a file or directory.", brief_input::<MoveRequest>()),
        Tool::Delete => ("Delete", "Delete a file or directory.", brief_input::<DeleteRequest>()),
        Tool::Mkdir => ("New directory", "Make a directory.", brief_input::<MkdirRequest>()),
    }
}
