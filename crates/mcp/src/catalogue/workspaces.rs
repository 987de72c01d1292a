//! The set `workspaces`, for connections with configured Workspaces: the tools that their scopes allow. The Workspaces
//! themselves describe each tool and its arguments.

use std::sync::{Arc, LazyLock};

use piton_runtime::workspaces::{FileWorld, Tool, card};

use super::Catalogue;

/// Placeholder for the Filesystem Map while there is no connection.
const MAP: &str = "\
Files: (here stands the Filesystem Map: each Workspace with its prefix, its scope and its purpose, and nothing of the \
machine.)";

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
    let tools = tools.iter().map(|tool| card(*tool).clone().within_a_run()).collect();
    Catalogue { name: "workspaces", instructions, tools }
}
