//! The tools of the set, built from the cards of the Workspaces.

use std::sync::{Arc, LazyLock};

use piton_runtime::workspaces::{FileWorld, Tool, ToolCard as FileCard, cards};
use serde_json::{Map, Value};

use super::words;
use crate::catalogue::{Catalogue, Hints, ToolCard};

/// Returns the whole set, as an agent with a Workspace of every scope reads it.
pub fn catalogue() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> =
        LazyLock::new(|| Arc::new(build_catalogue(Tool::ALL, words::MAP.to_owned())));
    Arc::clone(&WHOLE)
}

/// Returns the catalogue of these Workspaces: their map, and the tools that can succeed.
pub fn world_catalogue(world: &FileWorld) -> Catalogue {
    build_catalogue(&world.tools(), world.map().trim_end().to_owned())
}

fn build_catalogue(tools: &[Tool], instructions: String) -> Catalogue {
    let tools = cards(tools).into_iter().map(|card| of_file(card).within_a_run()).collect();
    Catalogue { name: "files", instructions, tools }
}

fn of_file(card: FileCard) -> ToolCard {
    let output = Map::from_iter([("description".to_owned(), Value::from(words::NO_STRUCTURE))]);
    ToolCard {
        name: card.tool.as_str(),
        title: words::title(card.tool),
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
