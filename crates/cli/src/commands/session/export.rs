//! `piton session export` and `piton session import`.

use std::path::PathBuf;

use clap::Args;
use piton_core::shell_word;
use piton_runtime::workflow::BUNDLE_BYTES_MAX;
use serde::Serialize;

use crate::app::{App, Outcome};
use crate::arguments::RunArgument;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::output;

#[derive(Args)]
pub(crate) struct Export {
    #[command(flatten)]
    run: RunArgument,
    /// The file to write; `-` for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Export what can be read of a damaged session, for reading only; it cannot be imported
    #[arg(long)]
    salvage: bool,
    /// Replace an existing file
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
    pub(super) fn run(self, app: &App) -> Outcome {
        let is_standard = files::is_standard(&self.file);
        if is_standard && app.output.is_json() {
            return Err(Failure::refused(
                "With --json, standard output holds exactly one document, and a bundle would be another.",
                "Name a file for the bundle, or omit --json.",
            ));
        }
        let open = app.open()?;
        let bytes = open.wait(open.runtime.export_session(&self.run.run, self.salvage))?;
        if is_standard {
            output::bytes(&bytes)?;
            return Ok(CommandEnding::Done);
        }
        files::write(&self.file, &bytes, self.force)?;
        let file = self.file.display();
        writeln!(app.output, "Wrote {} bytes to {file}.", bytes.len());
        if self.salvage {
            app.output.print(
                "It holds what can be read of a damaged session. It is for reading only: it cannot be imported.",
            );
        } else {
            writeln!(
                app.output,
                "It holds everything that was recorded, including notes. Import it elsewhere: piton session import {}",
                shell_word(&file.to_string())
            );
        }
        let exported = Exported { file: self.file, bytes: bytes.len() };
        app.output.finish("piton.session.export/1", &exported)
    }
}

#[derive(Args)]
pub(crate) struct Import {
    /// The file; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Import {
    pub(super) fn run(self, app: &App) -> Outcome {
        let bytes = files::read(&self.file, BUNDLE_BYTES_MAX as u64)?;
        let open = app.open()?;
        let imported = open.wait(open.runtime.import_session(&bytes))?;
        open.log.about(imported.session_id);
        writeln!(app.output, "Imported {} with {} events.", imported.session_id, imported.events);
        if let Some(before) = imported.renamed_from {
            writeln!(
                app.output,
                "It has a new id, because {before} already exists and was left as it is. The runs of both have the \
                 same names; refer to this one by its id."
            );
        }
        app.output.advise(format_args!("Look at it: piton session show {}", imported.session_id));
        app.output.finish("piton.session.import/1", &imported)
    }
}
