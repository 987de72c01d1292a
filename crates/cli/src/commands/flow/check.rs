//! `piton flow check` and `piton flow graph`.

use std::path::PathBuf;

use clap::Args;
use piton_backpack::flow::bounds::CONFIG_BYTES_MAX;
use serde_json::json;

use super::run_args::NextCommands;
use super::tool_sources::{self, ToolSources};
use crate::{app::App, exit::CommandEnding, failure::Failure, files};

/// A flow in a file.
#[derive(Args)]
pub(crate) struct FlowFile {
    /// The flow as JSON; `-` for standard input
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) tools: ToolSources,
}

/// Reads the text of a flow.
pub(super) fn text(file: &std::path::Path) -> Result<String, Failure> {
    files::read_text(file, CONFIG_BYTES_MAX as u64)
}

impl FlowFile {
    pub(super) fn text(&self) -> Result<String, Failure> {
        text(&self.file)
    }

    pub(super) fn check(&self, app: &App) -> Result<CommandEnding, Failure> {
        let text = self.text()?;
        let checked = tool_sources::flows(app, &app.open()?, &self.tools, None)?.check(&text);
        for problem in &checked.problems {
            app.output.print(format_args!("{}  {problem}", problem.severity));
        }
        app.output.print(match (checked.runs, checked.problems.len()) {
            (true, 0) => "The flow runs.".to_owned(),
            (true, 1) => "The flow runs, with 1 warning.".to_owned(),
            (true, count) => format!("The flow runs, with {count} warnings."),
            (false, _) => "The flow does not run.".to_owned(),
        });
        app.output.reply("piton.flow_check/1", &checked)?;
        Ok(if checked.runs { CommandEnding::Done } else { CommandEnding::Wanting })
    }

    pub(super) fn graph(&self, app: &App) -> Result<CommandEnding, Failure> {
        let text = self.text()?;
        let next = NextCommands::new(Some(&self.file));
        let mermaid = tool_sources::flows(app, &app.open()?, &self.tools, None)?.graph(&text);
        let mermaid = mermaid.map_err(|error| next.complete(error))?;
        app.output.print(mermaid.trim_end());
        app.output.reply("piton.flow_graph/1", &json!({ "mermaid": mermaid }))?;
        Ok(CommandEnding::Done)
    }
}
