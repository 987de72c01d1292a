//! `piton workspace verify` and `piton workspace repair`: the contents of Virtual Stores, and the records of file
//! changes.

use piton_runtime::workspaces::{check_virtual, repair_virtual};
use serde::Serialize;

use super::WorkspaceArguments;
use crate::app::{App, Outcome};
use crate::messages::{count, listed};
use crate::open::Open;
use crate::progress::Progress;

/// The result of a check or a repair, with the files that were lost.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WithLostFiles<T> {
    #[serde(flatten)]
    result: T,
    lost_files: Vec<String>,
}

/// Returns the files of the workspaces here that should exist according to their records, but were lost to damage.
/// Prints their names.
pub(crate) fn lost_files(app: &App, open: &Open) -> Vec<String> {
    // Workspaces that cannot be opened are no reason to suppress the rest of the report.
    let world = WorkspaceArguments::default()
        .declared(app)
        .and_then(|declared| WorkspaceArguments::open(open, declared));
    let Ok(Some(world)) = world else { return Vec::new() };
    let lost = open.wait(world.lost_files()).unwrap_or_default();
    if !lost.is_empty() {
        writeln!(
            app.output,
            "Lost to damage, by the records of file changes: {}. Write them again.",
            listed(&lost)
        );
    }
    lost
}

pub(super) fn verify(app: &App) -> Outcome {
    let open = app.open()?;
    let progress = Progress::begin(app, "Verifying Virtual Stores");
    let found = open.block_on(check_virtual(&open.files.kept))?;
    drop(progress);
    let is_sound = found.damaged.is_empty();
    if is_sound {
        let files = count(found.files, "file");
        writeln!(app.output, "{files} in Virtual Stores, every byte as it was written.");
    } else {
        writeln!(app.output, "Damaged: {}", listed(&found.damaged));
        app.output.advise("Everything else works. Fix it: piton workspace repair");
    }
    let lost_files = lost_files(app, &open);
    let verified = WithLostFiles { result: found, lost_files };
    app.output.verdict("piton.workspace.verify/1", &verified, is_sound)
}

pub(super) fn repair(app: &App) -> Outcome {
    let open = app.open()?;
    let done = open.block_on(repair_virtual(&open.files.kept))?;
    if done.taken_out.is_empty() {
        app.output.print("Nothing in Virtual Stores is damaged, and no record of a file change. Nothing was changed.");
    } else {
        writeln!(app.output, "Out of use, and kept in the table: {}", listed(&done.taken_out));
        app.output.print("In an overlay, the file below is seen again. Write those files again where they are missing.");
    }
    for kept in &done.kept {
        writeln!(app.output, "A damaged content is kept: {}/{kept}", app.display_path(open.root()));
    }
    let lost_files = lost_files(app, &open);
    let repaired = WithLostFiles { result: done, lost_files };
    app.output.finish("piton.workspace.repair/1", &repaired)
}
