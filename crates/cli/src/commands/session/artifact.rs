//! `piton session artifact`.

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use clap::Args;
use piton_runtime::reply::SessionArtifact;

use crate::{
    app::App, arguments::RunArgument, exit::CommandEnding, failure::Failure, files, output,
};

#[derive(Args)]
pub(crate) struct Artifact {
    #[command(flatten)]
    run: RunArgument,
    /// The digest or output of the artifact, the end of either, or its kind
    #[arg(value_name = "ARTIFACT")]
    reference: String,
    /// Write it to this file; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "output")]
    force: bool,
}

impl Artifact {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let found = open.runtime.session_artifact(&self.run.run, self.reference.trim());
        let artifact = open.wait(found)?;
        open.log.about(artifact.session_id);
        let SessionArtifact { content, digest, .. } = &artifact;
        let text = format!("{content:#}\n");
        let file = self.output.as_deref().filter(|file| !files::is_standard(file));
        if let Some(file) = file {
            files::write(file, text.as_bytes(), self.force)?;
            app.output.print(format_args!("Wrote {digest} to {}.", file.display()));
        // Text of an agent is escaped on a terminal; a pipe gets the exact bytes.
        } else if io::stdout().is_terminal() {
            app.output.print(text.trim_end());
        } else if !app.output.is_json() {
            output::bytes(text.as_bytes())?;
        }
        app.output.reply("piton.session.artifact/1", &artifact)?;
        Ok(CommandEnding::Done)
    }
}
