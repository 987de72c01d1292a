//! Many context operations in one file.

use std::path::PathBuf;

use clap::Args;
use piton_runtime::context::word::AgentId;
use serde_json::json;

use super::{progress::Progress, project_session::ProjectSession};
use crate::{
    app::App, bounds::BATCH_FILE_BYTES_MAX, exit::CommandEnding, failure::Failure, files,
    messages::count,
};

/// An example operation, shown when a line is not valid.
const EXAMPLE: &str =
    r#"{"op": "put", "node": "src/lib.rs", "frameType": "summary", "content": "…"}"#;

#[derive(Args)]
pub(crate) struct Batch {
    /// The file, one JSON object a line; `-` for standard input
    file: PathBuf,
}

impl Batch {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
        let text = files::read_text(&self.file, BATCH_FILE_BYTES_MAX)?;
        let (desk, acting) = ProjectSession::of(app, agent)?;
        let progress = Progress::begin(app, "Carrying out the batch");
        let lines = desk.open.wait(acting.batch(&text))?;
        drop(progress);
        let failed = lines.iter().filter(|line| line.error.is_some());
        for line in failed.clone() {
            if let Some(error) = &line.error {
                app.output.print(format_args!("line {}: {}", line.line, error.message));
            }
        }
        let failed = failed.count();
        app.output.print(format_args!("{}, {failed} failed.", count(lines.len(), "operation")));
        if failed > 0 {
            app.output.print(format_args!("A line is, for example: {EXAMPLE}"));
        }
        app.output.reply("piton.context.batch/1", &json!({ "lines": lines, "failed": failed }))?;
        Ok(if failed == 0 { CommandEnding::Done } else { CommandEnding::Wanting })
    }
}
