//! `piton workflow compile`.

use clap::Args;
use piton_runtime::library::NotFound;

use super::shelf::Shelf;
use crate::{app::App, exit::Ending, failure::Failure, output};

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
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let stock = Shelf::of(app)?.stock;
        let found = stock.find(&self.workflow).map_err(|error| NotFound::envelope(&error))?;
        if let Some(warning) = &found.warning {
            output::warn(format_args!("{warning}."));
        }
        let workflow = &*found.stocked.workflow;
        let compiled = Compiled { workflow_hash: found.stocked.hash, workflow };
        if app.output.is_json() {
            app.output.reply("piton.workflow.compile/1", &compiled)?;
        } else {
            let mut text =
                serde_json::to_vec_pretty(workflow).expect("a compiled workflow is JSON");
            text.push(b'\n');
            output::bytes(&text)?;
        }
        Ok(Ending::Done)
    }
}
