//! `piton session export` and `piton session import`.

use std::path::PathBuf;

use clap::Args;
use piton_core::shell_word;
use piton_runtime::request::ExportSession;
use piton_workflow::bounds::BUNDLE_BYTES_MAX;
use serde::Serialize;

use crate::{
    app::App, arguments::RunArgument, exit::CommandEnding, failure::Failure, files, output,
};

#[derive(Args)]
pub(crate) struct Export {
    #[command(flatten)]
    run: RunArgument,
    /// Where to write it; `-` for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Take what can be read of a damaged session; to be looked at only
    #[arg(long)]
    salvage: bool,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

/// Result of an export.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Exported {
    file: PathBuf,
    bytes: usize,
}

impl Export {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let is_standard = files::is_standard(&self.file);
        if is_standard && app.output.is_json() {
            return Err(Failure::refused(
                "With --json standard output holds one document, and a bundle is another.",
                "Name a file for the bundle, or leave --json out.",
            ));
        }
        let open = app.open()?;
        let request = ExportSession { session: self.run.run, salvage: self.salvage };
        let bytes = open.wait(open.runtime.export_session(&request))?;
        if is_standard {
            output::bytes(&bytes)?;
            return Ok(CommandEnding::Done);
        }
        files::write(&self.file, &bytes, self.force)?;
        let file = self.file.display();
        app.output.print(format_args!("Wrote {} bytes to {file}.", bytes.len()));
        if self.salvage {
            app.output.print(
                "It holds what can be read of a damaged session: look at it; it is not imported.",
            );
        } else {
            app.output.print(format_args!("It holds everything that was recorded, notes too. Import it elsewhere: piton session import {}", shell_word(&file.to_string())));
        }
        let exported = Exported { file: self.file, bytes: bytes.len() };
        app.output.reply("piton.session.export/1", &exported)?;
        Ok(CommandEnding::Done)
    }
}

#[derive(Args)]
pub(crate) struct Import {
    /// The file; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Import {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let bytes = files::read(&self.file, BUNDLE_BYTES_MAX as u64)?;
        let open = app.open()?;
        let imported = open.wait(open.runtime.import_session(&bytes))?;
        open.log.about(imported.session_id);
        app.output.print(format_args!(
            "Imported {} with {} events.",
            imported.session_id, imported.events
        ));
        if let Some(before) = imported.renamed_from {
            app.output.print(format_args!(
                "It has a new id: {before} is here already, and was left as it is. The runs of both have the same \
                 names; name this one by its id."
            ));
        }
        app.output.advise(format_args!("Look at it: piton session show {}", imported.session_id));
        app.output.reply("piton.session.import/1", &imported)?;
        Ok(CommandEnding::Done)
    }
}
