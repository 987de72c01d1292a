//! Context on a file, which goes stale when the file changes.
//!
//! ```text
//! cargo run --example context -- /tmp/piton-example
//! ```
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program to try")]

use std::fs;
use std::path::Path;

use piton::Piton;
use piton::context::agent::{AgentContext, Agents, ContextAgent, Role};
use piton::context::frame::PutFrame;
use piton::context::history::RootRef;
use piton::context::read::GetContext;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name a directory")?;
    let project = Path::new(&directory).join("project");
    fs::create_dir_all(&project)?;
    fs::write(project.join("login.rs"), "fn login() {}\n")?;

    let piton = Piton::open(Path::new(&directory).join("data"))?;
    let agent = ContextAgent { id: "writer".parse()?, role: Role::Writer };
    let agents = Agents::new([agent.clone()]);
    let context = piton.context(&project)?;
    let scanned = context.scanner().scan(false)?;
    context.record(&scanned.tree, scanned.report.is_partial(), None).await?;
    let agent = AgentContext::new(context, &agents, &agent.id)?;

    // A frame is bound to the file as it is now, and is never changed.
    agent.put_frame(&PutFrame::new("login.rs", "summary".parse()?, "Logs a user in.")).await?;
    show(&agent).await?;

    // Nothing announces the edit. Whoever reads the frame learns that it is stale.
    fs::write(project.join("login.rs"), "fn login() { todo!() }\n")?;
    show(&agent).await?;
    Ok(())
}

async fn show(agent: &AgentContext) -> Result<(), Box<dyn std::error::Error>> {
    let request = GetContext { node: "login.rs".to_owned(), ..GetContext::default() };
    let found = agent.get_context(&request, &RootRef::Current).await?;
    print!("{}", found.text());
    Ok(())
}
