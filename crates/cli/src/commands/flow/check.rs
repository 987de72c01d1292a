//! `piton flow check` and `piton flow graph`.

use std::path::{Path, PathBuf};

use clap::Args;
use piton_runtime::flow::CONFIG_BYTES_MAX;
use serde_json::json;

use super::run::NextCommands;
use super::tool_sources::{ToolSources, flows};
use crate::app::{App, Outcome};
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::messages::count;

/// A flow in a file.
#[derive(Args)]
pub(crate) struct FlowFile {
    /// The flow as JSON; `-` for standard input
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) tools: ToolSources,
}

/// Reads the text of a flow.
pub(super) fn read_flow(file: &Path) -> Result<String, Failure> {
    files::read_text(file, CONFIG_BYTES_MAX as u64)
}

impl FlowFile {
    pub(super) fn check(&self, app: &App) -> Outcome {
        let text = read_flow(&self.file)?;
        let checked = flows(app, &app.open()?, &self.tools, None)?.check(&text);
        for problem in &checked.problems {
            writeln!(app.output, "{}  {problem}", problem.severity);
        }
        app.output.print(match (checked.runs, checked.problems.len()) {
            (true, 0) => "The flow can run.".to_owned(),
            (true, warnings) => format!("The flow can run, with {}.", count(warnings, "warning")),
            (false, _) => "The flow cannot run.".to_owned(),
        });
        app.output.reply("piton.flow_check/1", &checked)?;
        Ok(if checked.runs { CommandEnding::Done } else { CommandEnding::Wanting })
    }

    pub(super) fn graph(&self, app: &App) -> Outcome {
        let text = read_flow(&self.file)?;
        let next = NextCommands::new(Some(&self.file));
        let mermaid = flows(app, &app.open()?, &self.tools, None)?.graph(&text);
        let mermaid = mermaid.map_err(|error| next.complete(error))?;
        app.output.print(mermaid.trim_end());
        app.output.finish("piton.flow_graph/1", &json!({ "mermaid": mermaid }))
    }
}
