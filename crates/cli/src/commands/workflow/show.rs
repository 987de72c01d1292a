//! `piton workflow show` and `piton workflow compile`.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use piton_core::{Envelope, WorkflowHash, shell_word};
use piton_runtime::reply::{InspectedWorkflow, WorkflowWarning};
use piton_runtime::request::{InspectMode, InspectWorkflow};
use piton_runtime::workflow::CompiledWorkflow;
use serde::Serialize;

use super::library::source_files;
use crate::app::{App, Outcome};
use crate::complete;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::messages::indented;
use crate::output;

#[derive(Args)]
pub(crate) struct ShowWorkflow {
    /// The id, as `piton workflow list` shows it
    #[arg(value_name = "WORKFLOW", add = complete::workflows())]
    workflow: String,
}

impl ShowWorkflow {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let request = InspectWorkflow {
            workflow_id: self.workflow,
            mode: InspectMode::Preview,
            project_dir: None,
        };
        let shown = open.connect(app).inspect_workflow(&request)?;
        print(app, &shown);
        app.output.finish("piton.workflow.show/1", &shown)
    }
}

fn print(app: &App, shown: &InspectedWorkflow) {
    let output = &app.output;
    let entry = &shown.entry;
    output.print(entry.text().trim_end());
    if let Some(warning) = &shown.warning {
        writeln!(output, "{warning}.");
    }
    for (message, subjects) in by_message(&entry.warnings) {
        writeln!(output, "  {}: {message}", subjects.join(", "));
    }
    output.print("");
    for (place, title) in shown.step_titles.iter().enumerate() {
        writeln!(output, "{:>3}. {title}", place + 1);
    }
    if let Some(prompt) = &shown.first_prompt {
        writeln!(output, "\nThe first step asks:\n\n{}", indented(prompt, "  "));
    }
    if shown.is_routine {
        return;
    }
    output.advise(format_args!("\nTry it: piton workflow run {}", entry.workflow_id));
}

/// Groups the subjects of warnings by message.
fn by_message(warnings: &[WorkflowWarning]) -> BTreeMap<&str, Vec<&str>> {
    let mut subjects = BTreeMap::<_, Vec<_>>::new();
    for warning in warnings {
        subjects.entry(warning.message.as_str()).or_default().push(warning.subject.as_str());
    }
    subjects
}

#[derive(Args)]
pub(crate) struct Compile {
    /// The id, as `piton workflow list` shows it
    #[arg(value_name = "WORKFLOW", add = complete::workflows())]
    workflow: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Compiled<'a> {
    workflow_hash: WorkflowHash,
    workflow: &'a CompiledWorkflow,
}

impl Compile {
    /// Returns the failure for an unknown workflow. For the path of a file, it suggests the command that takes one.
    fn not_found(&self, error: Envelope) -> Failure {
        let file = Path::new(&self.workflow);
        if !files::exists(file) {
            return error.into();
        }
        Failure::refused(
            format!("`{}` is a file, not the id of a workflow.", self.workflow),
            format!(
                "Check it with `piton workflow validate {}`; once it is in .piton/workflows, use its id.",
                shell_word(&self.workflow)
            ),
        )
    }

    pub(super) fn run(self, app: &App) -> Outcome {
        let contents = source_files(app)?.contents;
        let found = contents.find_to_read(&self.workflow).map_err(|error| self.not_found(error))?;
        if let Some(warning) = &found.warning {
            output::warn(format_args!("{warning}."));
        }
        let workflow = &*found.workflow.workflow;
        let compiled = Compiled { workflow_hash: found.workflow.hash, workflow };
        if app.output.is_json() {
            app.output.reply("piton.workflow.compile/1", &compiled)?;
        } else {
            let mut text =
                serde_json::to_vec_pretty(workflow).expect("a compiled workflow is JSON");
            text.push(b'\n');
            output::bytes(&text)?;
        }
        Ok(CommandEnding::Done)
    }
}
