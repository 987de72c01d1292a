//! `piton workflow show`.

use std::collections::BTreeMap;

use clap::Args;
use piton_runtime::{
    reply::{InspectedWorkflow, WorkflowWarning},
    request::{InspectMode, InspectWorkflow},
};

use crate::{app::App, exit::CommandEnding, failure::Failure, messages::indented};

#[derive(Args)]
pub(crate) struct ShowWorkflow {
    /// The id, as `piton workflow list` shows it
    #[arg(value_name = "WORKFLOW")]
    workflow: String,
}

impl ShowWorkflow {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let request = InspectWorkflow {
            workflow_id: self.workflow,
            mode: InspectMode::Preview,
            project_dir: None,
        };
        let shown = open.connect(app).inspect_workflow(&request)?;
        print(app, &shown);
        app.output.reply("piton.workflow.show/1", &shown)?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, shown: &InspectedWorkflow) {
    let output = &app.output;
    let entry = &shown.entry;
    output.print(entry.text().trim_end());
    if let Some(warning) = &shown.warning {
        output.print(format_args!("{warning}."));
    }
    for (message, subjects) in by_message(&entry.warnings) {
        output.print(format_args!("  {}: {message}", subjects.join(", ")));
    }
    output.print("");
    for (place, title) in shown.step_titles.iter().enumerate() {
        output.print(format_args!("{:>3}. {title}", place + 1));
    }
    if let Some(prompt) = &shown.first_prompt {
        output.print(format_args!("\nThe first step asks:\n\n{}", indented(prompt, "  ")));
    }
    if shown.is_routine {
        return;
    }
    output.advise(format_args!("\nWalk it: piton workflow run {}", entry.workflow_id));
}

/// Groups the subjects of warnings by message.
fn by_message(warnings: &[WorkflowWarning]) -> BTreeMap<&str, Vec<&str>> {
    let mut subjects = BTreeMap::<_, Vec<_>>::new();
    for warning in warnings {
        subjects.entry(warning.message.as_str()).or_default().push(warning.subject.as_str());
    }
    subjects
}
