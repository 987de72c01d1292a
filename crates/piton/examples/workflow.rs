//! A run that is killed between two steps and continued by another process.
//!
//! ```text
//! cargo run --example workflow -- /tmp/piton-example
//! ```
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program to try")]

use std::sync::Arc;

use piton::Piton;
use piton::workflow::compile::{Definitions, compile};
use piton::workflow::event::Preferences;
use piton::workflow::session::{Continue, Reply, SourcedWorkflow, Start, SubmittedOutput};
use piton::workflow::source::SourceOrigin;
use piton::workflow::{Autonomy, RiskPolicy, SourceKind};

/// Two steps. The first accepts nothing without a command in a code block.
const WORKFLOW: &str = r#"{
  "id": "project.two_steps",
  "name": "Two steps",
  "steps": [
    { "id": "reproduce", "title": "Reproduce it", "prompt": "Find a command that fails.",
      "validationCriteria": [{ "type": "contains", "value": "```", "message": "Show the command in a code block." }] },
    { "id": "fix", "title": "Fix it", "prompt": "Make the command pass." }
  ]
}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name a data directory")?;
    let origin = SourceOrigin::new(SourceKind::Project, "example");
    let compiled = compile(WORKFLOW, &origin, &Definitions::standard())
        .map_err(|problems| format!("{problems:?}"))?;
    let start = Start {
        workflow: SourcedWorkflow {
            compiled: Arc::new(compiled),
            source_kind: SourceKind::Project,
            source_ref: "example".to_owned(),
        },
        goal: Some("find out why the login test is flaky".to_owned()),
        context: serde_json::Map::new(),
        preferences: Preferences {
            autonomy: Autonomy::Guided,
            risk_policy: RiskPolicy::Conservative,
        },
        observations: Vec::new(),
        key: None,
    };
    let begun = Piton::open(&directory)?.sessions().start(start).await?;
    show(&begun);

    // A claim without evidence is refused; the run stays where it is.
    let refused = submit(&directory, &begun, "I found it.").await?;
    show(&refused);

    // Each call opens the data directory again, as a process would that starts after a crash. The token says where the
    // run stands.
    let second = submit(&directory, &refused, "```\ncargo test login\n```").await?;
    show(&second);
    show(&submit(&directory, &second, "The test waits for the server now.").await?);
    Ok(())
}

async fn submit(
    directory: &str,
    last: &Reply,
    notes: &str,
) -> Result<Reply, Box<dyn std::error::Error>> {
    let output =
        SubmittedOutput { notes_markdown: Some(notes.to_owned()), ..SubmittedOutput::default() };
    let request = Continue {
        ack_token: last.body.ack_token.clone(),
        output: Some(output),
        ..Continue::default()
    };
    Ok(Piton::open(directory)?.sessions().proceed(request).await?)
}

fn show(reply: &Reply) {
    let pending = reply.body.pending.as_ref().map_or("nothing", |step| step.title.as_str());
    let refused = reply.body.blockers.is_some();
    println!("pending: {pending}{}", if refused { " (refused)" } else { "" });
}
