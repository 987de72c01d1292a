//! `piton session export` and `piton session import`.

use std::path::PathBuf;

use clap::Args;
use piton_console::run_file;
use piton_core::shell_word;
use piton_runtime::reply::{ExportOmission, RunExport};
use piton_runtime::workflow::BUNDLE_BYTES_MAX;
use serde::Serialize;

use crate::app::{App, Outcome};
use crate::arguments::RunArgument;
use crate::commands::workspace::WorkspaceArguments;
use crate::commands::worlds::OpenWorlds;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::progress::Progress;

#[derive(Args)]
pub(crate) struct Export {
    #[command(flatten)]
    run: RunArgument,
    /// The file to write; `-` for standard output. With --html, the name of the run if it is left out
    #[arg(value_name = "FILE", required_unless_present = "html")]
    file: Option<PathBuf>,
    /// Export the run as one HTML file that shows it in any browser, offline. It has no tokens, protected values or
    /// paths of this machine
    #[arg(long)]
    html: bool,
    /// Export what can be read of a damaged session, for reading only; it cannot be imported
    #[arg(long, conflicts_with = "html")]
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
    /// What a page lacks. A bundle has everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    omissions: Option<Vec<ExportOmission>>,
}

impl Export {
    pub(super) fn run(self, app: &App) -> Outcome {
        let is_standard = self.file.as_deref().is_some_and(files::is_standard);
        if is_standard && app.output.is_json() {
            return Err(Failure::refused(
                "With --json, standard output holds exactly one document, and a bundle would be another.",
                "Name a file for the bundle, or omit --json.",
            ));
        }
        let (bytes, page) = if self.html {
            let (page, bytes) = self.page(app)?;
            (bytes, Some(page))
        } else {
            let open = app.open()?;
            (open.wait(open.runtime.export_session(&self.run.run, self.salvage))?, None)
        };
        if is_standard {
            output::bytes(&bytes)?;
            return Ok(CommandEnding::Done);
        }
        let by_name = || page.as_ref().map(|page| format!("{}.html", page.label).into());
        let file = self.file.or_else(by_name).expect("only a page needs no file");
        files::write(&file, &bytes, self.force)?;
        let shown = file.display();
        writeln!(app.output, "Wrote {} bytes to {shown}.", bytes.len());
        if let Some(page) = &page {
            app.output.print("It shows the run in any browser, without Piton or a network.");
            for omission in &page.omissions {
                writeln!(app.output, "  {}", omission.text);
            }
            app.output.advise("Read the notes before you send it: they are as agents wrote them.");
        } else if self.salvage {
            app.output.print(
                "It holds what can be read of a damaged session. It is for reading only: it cannot be imported.",
            );
        } else {
            writeln!(
                app.output,
                "It holds everything that was recorded, including notes. Import it elsewhere: piton session import {}",
                shell_word(&shown.to_string())
            );
        }
        let omissions = page.map(|page| page.omissions);
        let exported = Exported { file, bytes: bytes.len(), omissions };
        app.output.finish("piton.session.export/1", &exported)
    }

    /// Returns the run, and the page that shows it.
    fn page(&self, app: &App) -> Result<(RunExport, Vec<u8>), Failure> {
        let here = OpenWorlds::new(app, WorkspaceArguments::default().declared(app)?)?;
        let (open, worlds) = (&here.open, here.worlds());
        let machine = app.machine_paths(open.root());
        let run = open.wait(async {
            let at = open.runtime.run_address(&self.run.run).await?;
            open.runtime.export_run(at, &worlds, machine).await
        })?;
        let page = run_file(&run).into_bytes();
        Ok((run, page))
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
        let progress = Progress::begin(app, "Importing the session");
        let imported = open.wait(open.runtime.import_session(&bytes))?;
        drop(progress);
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
