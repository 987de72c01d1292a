//! `piton workflow adopt`: copies a directory of workflow files under ids of another namespace.
//!
//! *Invariants*: an existing file is never changed. If one stands in the way, nothing is written at all.

use std::path::{Path, PathBuf};

use clap::Args;
use piton_core::shell_word;
use piton_runtime::library::{Adopted, LineChange, NotAdopted, plan_adoption};
use serde::Serialize;

use super::library::source_files;
use crate::app::{App, Outcome};
use crate::bounds::{ADOPTED_LINE_BYTES_MAX, ADOPTED_LINES_SHOWN_MAX, WORKFLOW_FILE_BYTES_MAX};
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::style::{Tone, styled};

const DEFAULT_NAMESPACE: &str = "user";

#[derive(Args)]
pub(crate) struct Adopt {
    /// The directory with the files; they are not changed
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The namespace of their new ids
    #[arg(long, value_name = "NAME", default_value = DEFAULT_NAMESPACE)]
    namespace: String,
    /// The directory to write to [default: your own workflows, or with --namespace the directory of that name in them]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Show what would be written without writing it
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdoptOutcome {
    directory: PathBuf,
    dry_run: bool,
    /// Files that were written, or would be.
    written: Vec<AdoptedFiles>,
    /// Files that exist already, exactly as they would be written.
    unchanged: Vec<PathBuf>,
    skipped: Vec<NotAdopted>,
    refused: Vec<NotAdopted>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdoptedFiles {
    #[serde(flatten)]
    adopted: Adopted,
    file: PathBuf,
}

impl Adopt {
    pub(super) fn run(self, app: &App) -> Outcome {
        let here = source_files(app)?;
        let target = match &self.to {
            Some(to) => to.clone(),
            // Sets of several namespaces may contain files of the same name, so each gets a directory of its own.
            None if self.namespace != DEFAULT_NAMESPACE => {
                here.directory(false)?.1.join(&self.namespace)
            }
            None => here.directory(false)?.1,
        };
        check_apart(&self.directory, &target)?;
        let plan = plan_adoption(&self.directory, &self.namespace, &here.sources);
        let plan = plan.map_err(|why| {
            Failure::refused(
                format!("{why}. Nothing was written."),
                "Name a directory that holds workflow files: piton workflow adopt DIR",
            )
        })?;
        let (mut written, mut unchanged) = (Vec::new(), Vec::new());
        let (mut same_ids, mut same_files, mut keeps_id) = (Vec::new(), Vec::new(), false);
        // The first pass only sorts the files: nothing is written before all of them are known to fit.
        for adopted in plan.adopted {
            let file = target.join(&adopted.path);
            // Another file with the same id would shadow the new one, or be shadowed by it.
            let holder = here.contents.files().find(|one| {
                one.workflow.workflow_id.as_str() == adopted.to
                    && one.path.as_deref().is_some_and(|path| !is_same(path, &file))
            });
            match files::read_if_there(&file, WORKFLOW_FILE_BYTES_MAX) {
                // A repeated adoption finds its own results, and is no conflict.
                Ok(Some(text)) if text == adopted.text => unchanged.push(file),
                Ok(None) => match holder.and_then(|one| one.path.as_deref()) {
                    Some(path) => {
                        let (path, id) = (app.display_path(path), &adopted.to);
                        keeps_id |= adopted.from == *id;
                        same_ids.push(format!("{path} already has the id `{id}`"));
                    }
                    None => written.push(AdoptedFiles { adopted, file }),
                },
                // A file that cannot be read counts as one with other content: it is not replaced either.
                Ok(Some(_)) | Err(_) => same_files
                    .push(format!("{} already exists with other content", app.display_path(&file))),
            }
        }
        self.refuse(&same_ids, &same_files, keeps_id)?;
        if !self.dry_run {
            for AdoptedFiles { adopted, file } in &written {
                files::write(file, adopted.text.as_bytes(), false)?;
            }
        }
        let is_whole = plan.refused.is_empty();
        let (skipped, refused) = (plan.skipped, plan.refused);
        let dry_run = self.dry_run;
        let outcome =
            AdoptOutcome { directory: target, dry_run, written, unchanged, skipped, refused };
        print(app, &outcome);
        app.output.reply("piton.workflow.adopt/1", &outcome)?;
        Ok(if is_whole { CommandEnding::Done } else { CommandEnding::Wanting })
    }

    /// Refuses everything if an existing file stands in the way, by its id or by its name. An id that a file keeps is
    /// the same under every namespace.
    fn refuse(
        &self,
        same_ids: &[String],
        same_files: &[String],
        keeps_id: bool,
    ) -> Result<(), Failure> {
        let Some(first) = same_ids.first().or(same_files.first()) else { return Ok(()) };
        let more = match same_ids.len() + same_files.len() {
            1 => String::new(),
            count => format!(", and {} more are in the way", count - 1),
        };
        let command =
            format!("piton workflow adopt {}", shell_word(&self.directory.display().to_string()));
        let instead = match (keeps_id, same_ids.is_empty()) {
            (true, _) => "Ids outside the namespace `wr` do not change: move one of the two files away, and repeat the \
                          command."
                .to_owned(),
            (false, false) => format!(
                "Adopt them under other ids, in a directory of their own: `{command} --namespace NAME`. Or move the file \
                 that is in the way, and repeat the command."
            ),
            (false, true) => format!(
                "Adopt them under other ids, in a directory of their own: `{command} --namespace NAME`. Or write them \
                 elsewhere: `{command} --to DIR`."
            ),
        };
        Err(Failure::refused(format!("{first}{more}. Nothing was written."), instead))
    }
}

/// Refuses to adopt a directory into itself: the next adoption would adopt its own results.
fn check_apart(from: &Path, to: &Path) -> Result<(), Failure> {
    // Compares resolved paths, so that a link does not hide the overlap.
    let (from, to) = (files::real(from), files::real(to));
    if from.starts_with(&to) || to.starts_with(&from) {
        return Err(Failure::refused(
            format!(
                "{} is the target directory, or overlaps with it. Nothing was written.",
                from.display()
            ),
            "Move the files to a directory of their own, or name another one with --to.",
        ));
    }
    Ok(())
}

fn is_same(one: &Path, other: &Path) -> bool {
    files::real(one) == files::real(other)
}

fn print(app: &App, outcome: &AdoptOutcome) {
    let output = &app.output;
    for AdoptedFiles { adopted, file } in &outcome.written {
        writeln!(output, "{}: {} -> {}", app.display_path(file), adopted.from, adopted.to);
        for change in adopted.changes.iter().take(ADOPTED_LINES_SHOWN_MAX) {
            let (before, after) = render_change(change);
            writeln!(output, "  {}: - {}", change.line, styled(Tone::Bad, before));
            writeln!(output, "  {}: + {}", change.line, styled(Tone::Good, after));
        }
        let more = adopted.changes.len().saturating_sub(ADOPTED_LINES_SHOWN_MAX);
        if more > 0 {
            writeln!(output, "  and {more} more lines");
        }
    }
    for one in &outcome.skipped {
        writeln!(output, "{}: skipped, {}", one.path.display(), one.reason);
    }
    for one in &outcome.refused {
        let what = styled(Tone::Bad, "not adopted:");
        writeln!(output, "{}: {what} {}", one.path.display(), one.reason);
    }
    let (written, there) = (outcome.written.len(), outcome.unchanged.len());
    let place = app.display_path(&outcome.directory);
    match (written, outcome.dry_run) {
        (0, _) if there > 0 => {
            writeln!(output, "Nothing to do: {there} files are already in {place}.");
        }
        (0, _) => output.print("Nothing to do: there are no workflow files to adopt."),
        (_, true) => {
            writeln!(output, "Would write {written} files to {place}. Nothing was written.");
        }
        (_, false) => {
            writeln!(output, "Wrote {written} files to {place}.");
            output.advise("See them with `piton workflow list`.");
        }
    }
}

/// Returns both sides of a changed line, cut to the surroundings of the first difference.
fn render_change(change: &LineChange) -> (String, String) {
    // A quarter of the width shows the text before the difference. The byte position may fall inside a character.
    let same = change.before.bytes().zip(change.after.bytes()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(ADOPTED_LINE_BYTES_MAX / 4);
    let cut = |line: &str| {
        let start = line.floor_char_boundary(from);
        let end = line.floor_char_boundary((start + ADOPTED_LINE_BYTES_MAX).min(line.len()));
        let before = if start > 0 { "…" } else { "" };
        let after = if end < line.len() { "…" } else { "" };
        format!("{before}{}{after}", &line[start..end])
    };
    (cut(&change.before), cut(&change.after))
}
