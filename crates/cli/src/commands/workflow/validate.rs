//! `piton workflow validate`.

use std::path::{Path, PathBuf};

use clap::Args;
use piton_runtime::library::{FileProblem, UnloadedFile, WorkflowSource, catalog_beside};
use piton_workflow::{
    SourceKind,
    compile::compile,
    source::{SourceOrigin, SourceProblem},
};
use serde::Serialize;

use super::library::WorkflowLibrary;
use crate::{
    app::App,
    bounds::WORKFLOW_FILE_BYTES_MAX,
    exit::CommandEnding,
    failure::Failure,
    files,
    style::{Tone, styled},
};

#[derive(Args)]
pub(crate) struct Validate {
    /// The files; all that are found here if none is named
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
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
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
    // A file is compiled together with its neighbours, since workflows may refer to each other.
    let directory = path.parent().unwrap_or(Path::new(""));
    let origin = SourceOrigin::new(SourceKind::User, directory.display().to_string());
    let beside = if directory == Path::new("") { Path::new(".") } else { directory };
    let outcome = compile(&text, &origin, &catalog_beside(beside, sources));
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
    let stock = WorkflowLibrary::of(app)?.stock;
    let sound = stock.files().filter_map(|one| {
        let path = one.path.as_ref()?.display().to_string();
        Some(ValidatedFile { path, unreadable: None, problems: Vec::new(), warnings: Vec::new() })
    });
    Ok(sound.chain(stock.broken.iter().map(broken)).collect())
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
            "There are no workflow files here. Write one: piton workflow new user.my_workflow",
        );
        return;
    }
    for file in &validated.files {
        let ValidatedFile { path, unreadable, problems, warnings } = file;
        match (unreadable, problems.len()) {
            (Some(reason), _) => output
                .print(format_args!("{path}: {} {reason}", styled(Tone::Bad, "cannot be read:"))),
            (None, 0) => output.print(format_args!("{path}: {}", styled(Tone::Good, "in order"))),
            (None, 1) => output.print(format_args!("{path}: {}", styled(Tone::Bad, "1 problem"))),
            (None, count) => output.print(format_args!(
                "{path}: {}",
                styled(Tone::Bad, format_args!("{count} problems"))
            )),
        }
        for problem in problems {
            output.print(format_args!("  {problem}"));
        }
        for warning in warnings {
            output.print(format_args!("  {warning}"));
        }
    }
    if !validated.is_sound {
        output.print("Fix each place that is named, and validate again.");
    }
}
