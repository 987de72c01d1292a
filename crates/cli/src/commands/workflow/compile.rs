//! `piton workflow compile`.

use std::path::Path;

use clap::Args;
use piton_core::shell_word;
use piton_runtime::library::NotFound;

use super::library::WorkflowLibrary;
use crate::{app::App, exit::CommandEnding, failure::Failure, files, output};

#[derive(Args)]
pub(crate) struct Compile {
    /// The id, as `piton workflow list` shows it
    #[arg(value_name = "WORKFLOW")]
    workflow: String,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Compiled<'a> {
    workflow_hash: piton_core::WorkflowHash,
    workflow: &'a piton_workflow::compile::CompiledWorkflow,
}

impl Compile {
    /// Returns the failure for an unknown workflow. For the path of a file, it names the command that takes one.
    fn not_found(&self, error: &NotFound) -> Failure {
        let file = Path::new(&self.workflow);
        if !files::exists(file) {
            return error.envelope().into();
        }
        Failure::refused(
            format!(
                "`{}` is a file, and not the id of a workflow that can be started.",
                self.workflow
            ),
            format!(
                "Check it with `piton workflow validate {}`; once it lies in .piton/workflows, its id names it.",
                shell_word(&self.workflow)
            ),
        )
    }

    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let stock = WorkflowLibrary::of(app)?.stock;
        let found = stock.find_to_read(&self.workflow).map_err(|error| self.not_found(&error))?;
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
