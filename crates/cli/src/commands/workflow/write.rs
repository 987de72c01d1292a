//! `piton workflow new` and `piton workflow fork`.

use std::path::PathBuf;

use clap::Args;
use piton_core::WorkflowId;
use piton_runtime::library::compile_beside;
use piton_runtime::workflow::Purpose;
use serde::Serialize;
use serde_json::json;

use super::library::WorkflowLibrary;
use crate::app::{App, Outcome};
use crate::bounds::WORKFLOW_FILE_BYTES_MAX;
use crate::failure::Failure;
use crate::files;

/// Template of a new workflow.
const TEMPLATE: &str = include_str!("template.json");

/// The id in the template.
const TEMPLATE_ID: &str = "user.template";

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
    #[arg(value_name = "WORKFLOW")]
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenFile {
    workflow_id: WorkflowId,
    file: PathBuf,
}

impl New {
    pub(super) fn run(self, app: &App) -> Outcome {
        let here = WorkflowLibrary::of(app)?;
        write(app, &here, &self.place, &renamed(TEMPLATE, TEMPLATE_ID, &self.id)?, self.id)
    }
}

impl Fork {
    pub(super) fn run(self, app: &App) -> Outcome {
        let here = WorkflowLibrary::of(app)?;
        let workflow = here.contents.find_to_read(&self.workflow)?.workflow;
        let text = match (&workflow.path, workflow.bundled) {
            (Some(path), _) => files::read_text(path, WORKFLOW_FILE_BYTES_MAX)?,
            (None, Some(bundled)) => bundled.text().to_owned(),
            (None, None) => {
                return Err(Failure::refused(
                    format!("The file of `{}` is not known.", self.workflow),
                    "Fork another workflow; `piton workflow list` shows them.",
                ));
            }
        };
        // The file still has the id that it was written with; the library may know it under a newer one.
        let declared = workflow.legacy_id.clone();
        let before = declared.unwrap_or_else(|| workflow.workflow.workflow_id.to_string());
        write(app, &here, &self.place, &renamed(&text, &before, &self.id)?, self.id)
    }
}

/// Returns the text of a file under another id. All else stays as its author wrote it.
fn renamed(text: &str, before: &str, after: &WorkflowId) -> Result<String, Failure> {
    let (old, new) = (json!(before).to_string(), json!(after).to_string());
    // The id occurs once and early. The same text elsewhere comes after the key.
    let key = text.find("\"id\"").and_then(|key| Some(key + text[key..].find(&old)?));
    let at = key.ok_or_else(|| {
        Failure::refused(
            "The id was not found in the file.",
            "Copy the file yourself, and change its id.",
        )
    })?;
    Ok([&text[..at], &new, &text[at + old.len()..]].concat())
}

fn write(
    app: &App,
    library: &WorkflowLibrary,
    place: &TargetFile,
    text: &str,
    id: WorkflowId,
) -> Outcome {
    let (kind, directory) = library.directory(place.project)?;
    // Checked with the definitions beside it, as it will be loaded, and before anything is written.
    let compiled = compile_beside(text, kind, &directory, Purpose::Save, &library.sources);
    compiled.map_err(|problems| {
        let first = problems.first().map_or_else(String::new, ToString::to_string);
        Failure::refused(
            format!("The file would not load, so it was not written. {first}"),
            "Choose an id in a namespace of your own, such as `user.review`. To change a workflow that comes \
             with Piton, copy it: `piton workflow fork wr.code_review user.review`.",
        )
    })?;
    let name = id.as_str().rsplit('.').next().unwrap_or(id.as_str());
    let file = directory.join(format!("{name}.json"));
    files::write(&file, text.as_bytes(), place.force)?;
    writeln!(app.output, "Wrote {}.", app.display_path(&file));
    app.output.advise(format_args!(
        "Change it, then check it: piton workflow validate {}",
        app.shell_word(&file)
    ));
    app.output.finish("piton.workflow.write/1", &WrittenFile { workflow_id: id, file })
}

#[cfg(test)]
mod tests {
    use piton_runtime::workflow::{CompiledWarning, SourceKind, WarningCode};

    use super::*;

    #[test]
    fn the_template_can_be_run_as_it_is() {
        let alone = tempfile::tempdir().unwrap();
        let compiled =
            compile_beside(TEMPLATE, SourceKind::User, alone.path(), Purpose::Load, &[]).unwrap();
        assert_eq!(compiled.workflow_id.as_str(), TEMPLATE_ID);
        // Every step with criteria gets this advice.
        let is_advice = |warning: &CompiledWarning| warning.code == WarningCode::ContractPreferred;
        assert!(
            compiled.compiled_warnings.iter().all(is_advice),
            "{:?}",
            compiled.compiled_warnings
        );
    }
}
