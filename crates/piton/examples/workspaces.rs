//! Files that an agent may touch: the project read-only, a scratchpad over it, and nothing else.
//!
//! ```text
//! cargo run --example workspaces -- /tmp/piton-example
//! ```
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program to try")]

use std::fs;
use std::path::Path;

use piton::Piton;
use piton::workspaces::Actor;
use piton::workspaces::config::WorkspaceConfig;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name a directory")?;
    let project = Path::new(&directory).join("project");
    fs::create_dir_all(&project)?;
    fs::write(project.join("config.toml"), "retries = 1\n")?;

    let project = WorkspaceConfig {
        prefix: "/project".to_owned(),
        scope: "read-only".to_owned(),
        directory: Some(project),
        ..WorkspaceConfig::default()
    };
    // Copy-on-write: what the agent changes here stays in Piton's data until a person applies it.
    let draft = WorkspaceConfig {
        prefix: "/draft".to_owned(),
        scope: "read-write".to_owned(),
        over: Some("/project".to_owned()),
        namespace: Some(vec!["draft".to_owned()]),
        ..WorkspaceConfig::default()
    };
    let actor = Actor { agent: "editor".to_owned(), ..Actor::default() };
    let piton = Piton::open(Path::new(&directory).join("data"))?;
    let files = piton.files(&[project, draft], actor).await?;

    let calls = [
        ("write", json!({ "path": "/project/config.toml", "content": "retries = 9\n" })),
        ("read", json!({ "path": "/etc/passwd" })),
        ("edit", json!({ "path": "/draft/config.toml", "old_string": "1", "new_string": "3" })),
        ("read", json!({ "path": "/draft/config.toml" })),
        ("read", json!({ "path": "/project/config.toml" })),
    ];
    for (tool, arguments) in calls {
        let reply = files.call(tool, arguments).await;
        println!("{tool}: {}", reply.text.trim_end());
    }
    Ok(())
}
