//! `piton workflow validate`.

use std::path::{Path, PathBuf};

use clap::Args;
use piton_runtime::library::{FileProblem, UnloadedFile, WorkflowSource, compile_beside};
use piton_runtime::workflow::{Purpose, SourceKind, SourceProblem};
use serde::Serialize;

use super::library::WorkflowLibrary;
use crate::app::{App, Outcome};
use crate::bounds::WORKFLOW_FILE_BYTES_MAX;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::messages::count;
use crate::style::{Tone, styled};

#[derive(Args)]
pub(crate) struct Validate {
    /// The files [default: all workflow files that are found here]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Validated {
    is_sound: bool,
    files: Vec<ValidatedFile>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ValidatedFile {
    path: String,
    /// Reason that the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
    problems: Vec<SourceProblem>,
    /// Advice for the author of a file that can be run.
    warnings: Vec<String>,
}

impl Validate {
    pub(super) fn run(self, app: &App) -> Outcome {
        let files = if self.files.is_empty() {
            everything_here(app)?
        } else {
            let sources = WorkflowLibrary::of(app)?.sources;
            self.files.iter().map(|path| judge(path, &sources)).collect::<Result<_, _>>()?
        };
        let is_sound =
            files.iter().all(|file| file.problems.is_empty() && file.unreadable.is_none());
        let validated = Validated { is_sound, files };
        print(app, &validated);
        app.output.reply("piton.workflow.validate/1", &validated)?;
        Ok(if is_sound { CommandEnding::Done } else { CommandEnding::Wanting })
    }
}

fn judge(path: &Path, sources: &[WorkflowSource]) -> Result<ValidatedFile, Failure> {
    let text = files::read_text(path, WORKFLOW_FILE_BYTES_MAX)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let outcome = compile_beside(&text, SourceKind::User, directory, Purpose::Load, sources);
    let path = path.display().to_string();
    Ok(match outcome {
        Ok(workflow) => {
            let warnings = workflow
                .compiled_warnings
                .iter()
                .map(|warning| format!("{}: {}", warning.subject, warning.code.advice()))
                .collect();
            ValidatedFile { path, unreadable: None, problems: Vec::new(), warnings }
        }
        Err(problems) => ValidatedFile { path, unreadable: None, problems, warnings: Vec::new() },
    })
}

/// Returns the files of every source: those that load, and those that do not.
fn everything_here(app: &App) -> Result<Vec<ValidatedFile>, Failure> {
    let contents = WorkflowLibrary::of(app)?.contents;
    let sound = contents.files().filter_map(|one| {
        let path = one.path.as_ref()?.display().to_string();
        Some(ValidatedFile { path, unreadable: None, problems: Vec::new(), warnings: Vec::new() })
    });
    Ok(sound.chain(contents.broken.iter().map(broken)).collect())
}

fn broken(file: &UnloadedFile) -> ValidatedFile {
    let (mut unreadable, mut problems) = (None, Vec::new());
    for problem in &file.problems {
        match problem {
            FileProblem::Unreadable { reason } => unreadable = Some(reason.clone()),
            FileProblem::Inside(problem) => problems.push(problem.clone()),
        }
    }
    ValidatedFile { path: file.path.clone(), unreadable, problems, warnings: Vec::new() }
}

fn print(app: &App, validated: &Validated) {
    let output = &app.output;
    if validated.files.is_empty() {
        output.advise(
            "There are no workflow files here. Create one: piton workflow new user.my_workflow",
        );
        return;
    }
    for file in &validated.files {
        let ValidatedFile { path, unreadable, problems, warnings } = file;
        match (unreadable, problems.len()) {
            (Some(reason), _) => {
                writeln!(output, "{path}: {} {reason}", styled(Tone::Bad, "cannot be read:"));
            }
            (None, 0) => writeln!(output, "{path}: {}", styled(Tone::Good, "in order")),
            (None, problems) => {
                writeln!(output, "{path}: {}", styled(Tone::Bad, count(problems, "problem")));
            }
        }
        for problem in problems {
            writeln!(output, "  {problem}");
        }
        for warning in warnings {
            writeln!(output, "  {warning}");
        }
    }
    if !validated.is_sound {
        output.print("Fix each place that is named, and validate again.");
    }
}
