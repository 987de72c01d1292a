//! `piton workflow validate`.

use std::path::{Path, PathBuf};

use clap::Args;
use piton_runtime::library::{FileProblem, SourceFiles};
use piton_runtime::reply::{SourceCheck, WorkflowWarning};
use piton_runtime::workflow::{Purpose, SourceProblem, TextRange};
use serde::Serialize;

use super::library::source_files;
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
    /// The place of each problem.
    #[serde(skip)]
    ranges: Vec<TextRange>,
    /// Advice for the author of a file that can be run.
    warnings: Vec<String>,
}

impl Validate {
    pub(super) fn run(self, app: &App) -> Outcome {
        let sources = source_files(app)?;
        let files = if self.files.is_empty() {
            everything_here(&sources)
        } else {
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

impl ValidatedFile {
    fn of(path: String, check: SourceCheck) -> Self {
        let advice =
            |warning: &WorkflowWarning| format!("{}: {}", warning.subject, warning.message);
        let warnings = check.warnings.iter().map(advice).collect();
        let problems = check.problems.into_iter().map(|found| (found.problem, found.range));
        let (problems, ranges) = problems.unzip();
        Self { path, unreadable: None, problems, ranges, warnings }
    }
}

fn judge(path: &Path, sources: &SourceFiles) -> Result<ValidatedFile, Failure> {
    let text = files::read_text(path, WORKFLOW_FILE_BYTES_MAX)?;
    let check = sources.check(&text, Some(path), Purpose::Load);
    Ok(ValidatedFile::of(path.display().to_string(), check))
}

/// Returns the files of every source: those that load, and those that do not.
fn everything_here(sources: &SourceFiles) -> Vec<ValidatedFile> {
    let of = |path: String, unreadable| {
        let (problems, ranges, warnings) = (Vec::new(), Vec::new(), Vec::new());
        ValidatedFile { path, unreadable, problems, ranges, warnings }
    };
    let paths = sources.contents.files().filter_map(|one| one.path.as_ref());
    let sound = paths.map(|path| of(path.display().to_string(), None));
    let broken = sources.contents.broken.iter().map(|file| match sources.source(&file.path) {
        Ok(source) => ValidatedFile::of(file.path.clone(), source.check),
        Err(error) => {
            // The library gives the reason without the path, which stands before it already.
            let reason = file.problems.iter().find_map(|problem| match problem {
                FileProblem::Unreadable { reason } => Some(reason.clone()),
                FileProblem::Inside(_) => None,
            });
            of(file.path.clone(), Some(reason.unwrap_or(error.message)))
        }
    });
    sound.chain(broken).collect()
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
        let ValidatedFile { path, unreadable, problems, ranges, warnings } = file;
        match (unreadable, problems.len()) {
            (Some(reason), _) => {
                writeln!(output, "{path}: {} {reason}", styled(Tone::Bad, "cannot be read:"));
            }
            (None, 0) => writeln!(output, "{path}: {}", styled(Tone::Good, "in order")),
            (None, problems) => {
                writeln!(output, "{path}: {}", styled(Tone::Bad, count(problems, "problem")));
            }
        }
        for (problem, range) in problems.iter().zip(ranges) {
            writeln!(output, "  {}:{} {problem}", range.line, range.column);
        }
        for warning in warnings {
            writeln!(output, "  {warning}");
        }
    }
    if !validated.is_sound {
        output.print("Fix each place that is named, and validate again.");
    }
}
