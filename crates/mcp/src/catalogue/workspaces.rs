//! The set `workspaces`, for connections with configured Workspaces: the tools that their scopes allow. The Workspaces
//! themselves describe each tool and its arguments.

use std::sync::{Arc, LazyLock};

use piton_runtime::workspaces::{FileWorld, Tool, ToolCard as FileCard, cards};
use serde_json::{Map, Value};

use super::card::{Hints, ToolCard};
use super::registry::Catalogue;

/// Returns the whole set, as an agent with a Workspace of every scope reads it.
pub fn catalogue() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> =
        LazyLock::new(|| Arc::new(build_catalogue(Tool::ALL, MAP.to_owned())));
    Arc::clone(&WHOLE)
}

/// Returns the catalogue of these Workspaces: their map, and the tools that can succeed.
pub fn world_catalogue(world: &FileWorld) -> Catalogue {
    build_catalogue(&world.tools(), world.map().trim_end().to_owned())
}

fn build_catalogue(tools: &[Tool], instructions: String) -> Catalogue {
    let tools = cards(tools).into_iter().map(|card| of_file(card).within_a_run()).collect();
    Catalogue { name: "workspaces", instructions, tools }
}

fn of_file(card: FileCard) -> ToolCard {
    let output = Map::from_iter([("description".to_owned(), Value::from(NO_STRUCTURE))]);
    ToolCard {
        name: card.tool.as_str(),
        title: title(card.tool),
        description: card.description.to_owned(),
        hints: Hints {
            read_only: card.is_read_only(),
            destructive: card.is_destructive(),
            idempotent: card.is_idempotent(),
        },
        input: Arc::new(card.schema),
        output: Arc::new(output),
    }
}

/// Placeholder for the Filesystem Map while there is no connection.
const MAP: &str = "\
Files: (here stands the Filesystem Map: each Workspace with its prefix, its scope and its purpose, and nothing of the \
machine.)";

/// Description of the structured content of an answer.
const NO_STRUCTURE: &str = "There is no structured content: the answer is text.";

/// Returns the title of a tool for people.
const fn title(tool: Tool) -> &'static str {
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
