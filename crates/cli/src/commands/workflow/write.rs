//! `piton workflow new` and `piton workflow fork`.

use std::path::PathBuf;

use clap::Args;
use piton_core::WorkflowId;
use piton_runtime::reply::SavedSource;
use piton_runtime::request::{CopySource, NewSource};
use serde::Serialize;

use super::library::source_files;
use crate::app::{App, Outcome};
use crate::complete;

#[derive(Args)]
pub(crate) struct New {
    /// The id: a namespace and a name, as in `user.release_notes`
    #[arg(value_name = "ID")]
    id: WorkflowId,
    #[command(flatten)]
    place: TargetFile,
}

#[derive(Args)]
pub(crate) struct Fork {
    /// The workflow to copy
    #[arg(value_name = "WORKFLOW", add = complete::workflows())]
    workflow: String,
    /// The id of the copy, as in `user.our_review`
    #[arg(value_name = "ID")]
    id: WorkflowId,
    #[command(flatten)]
    place: TargetFile,
}

/// Where the file is written.
#[derive(Args)]
struct TargetFile {
    /// Write it to the project instead of your own configuration
    #[arg(long)]
    project: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl TargetFile {
    fn of(self, id: WorkflowId) -> NewSource {
        NewSource { id, project: self.project, replace: self.force }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenFile {
    workflow_id: WorkflowId,
    file: PathBuf,
}

impl New {
    pub(super) fn run(self, app: &App) -> Outcome {
        let target = self.place.of(self.id);
        let saved = source_files(app)?.create(&target)?;
        finish(app, saved, target.id)
    }
}

impl Fork {
    pub(super) fn run(self, app: &App) -> Outcome {
        let request = CopySource { source: self.workflow, target: self.place.of(self.id) };
        let saved = source_files(app)?.copy(&request)?;
        finish(app, saved, request.target.id)
    }
}

fn finish(app: &App, saved: SavedSource, workflow_id: WorkflowId) -> Outcome {
    let file = PathBuf::from(saved.path);
    writeln!(app.output, "Wrote {}.", app.display_path(&file));
    app.output.advise(format_args!(
        "Change it, then check it: piton workflow validate {}",
        app.shell_word(&file)
    ));
    app.output.finish("piton.workflow.write/1", &WrittenFile { workflow_id, file })
}
