//! The parts together: a step of a run edits a file, packs what it learned, and notes it on the file. Each record names
//! the run.
//!
//! ```text
//! cargo run --example joined -- /tmp/piton-example
//! ```
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program to try")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use piton::Piton;
use piton::backpack::NodeIdentity;
use piton::context::agent::{AgentContext, Agents, ContextAgent, Role};
use piton::context::frame::PutFrame;
use piton::workflow::builtin_workflows::BuiltinWorkflow;
use piton::workflow::event::Preferences;
use piton::workflow::session::{SourcedWorkflow, Start};
use piton::workflow::{Autonomy, RiskPolicy, SourceKind};
use piton::workspaces::Actor;
use piton::workspaces::config::WorkspaceConfig;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name a directory")?;
    let directory = Path::new(&directory);
    let project = directory.join("project");
    fs::create_dir_all(&project)?;
    fs::write(project.join("retry.toml"), "retries = 1\n")?;
    let piton = Piton::open(directory.join("data"))?;

    // A run of a workflow that comes with Piton. Its token names the pending step.
    let bundled = BuiltinWorkflow::ALL.first().ok_or("there are built-in workflows")?;
    let start = Start {
        workflow: SourcedWorkflow {
            compiled: Arc::new(bundled.compiled()),
            source_kind: SourceKind::Bundled,
            source_ref: "piton".to_owned(),
        },
        goal: Some("retry three times".to_owned()),
        context: serde_json::Map::new(),
        preferences: Preferences {
            autonomy: Autonomy::Guided,
            risk_policy: RiskPolicy::Conservative,
        },
        observations: Vec::new(),
        key: None,
    };
    let sessions = piton.sessions();
    let reply = sessions.start(start).await?;
    let token = reply.body.ack_token.as_deref().ok_or("the first step is pending")?;
    let step = sessions.reader().step_grant(token).await?.provenance;

    // The file: the record of the change names the run and the step.
    let workspace = WorkspaceConfig {
        prefix: "/project".to_owned(),
        scope: "read-write".to_owned(),
        directory: Some(project.clone()),
        ..WorkspaceConfig::default()
    };
    let actor = Actor {
        agent: "editor".to_owned(),
        session: Some(step.session.to_string()),
        run: Some(step.run.to_string()),
        node: Some(step.node.to_string()),
        step: Some(step.step.clone()),
    };
    let files = piton.files(&[workspace], actor).await?;
    let edit = json!({ "path": "/project/retry.toml", "old_string": "1", "new_string": "3" });
    let edited = files.call("edit", edit).await;
    println!("edited: {}", !edited.is_error());

    // The state: the value says who packed it.
    let backpack = piton.backpack(&"decisions".parse()?).await?;
    let scope = backpack.scope(NodeIdentity::new("editor", "Editor")?, None)?;
    let _ = scope.saved(scope.pack("retries", &3)?).await?;
    println!("packed by {}", scope.item("retries")?.ok_or("it was packed")?.source().id.as_str());

    // The context: the frame carries the step in its metadata.
    let agent = ContextAgent { id: "editor".parse()?, role: Role::Writer };
    let agents = Agents::new([agent.clone()]);
    let context = piton.context(&project)?;
    let scanned = context.scanner().scan(false)?;
    context.record(&scanned.tree, scanned.report.is_partial(), None).await?;
    let context = AgentContext::new(context, &agents, &agent.id)?;
    let frame = PutFrame::new("retry.toml", "note".parse()?, "Three, because the proxy drops one.");
    context.at_step(Some(&step)).put_frame(&frame).await?;
    println!("noted on the file");

    // Everything is in one data directory; any process finds the run again.
    let found = Piton::open(directory.join("data"))?.run_index().list().await?;
    println!("{} run in the index", found.runs.len());
    Ok(())
}
