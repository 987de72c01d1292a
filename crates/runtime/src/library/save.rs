//! Writes workflow files: saves an edited one, copies one under another id, begins a new one.
//!
//! *Invariants*: a file is written only below a directory that the configuration makes a source of workflows, links
//! resolved. An edited file is replaced only if it still has the bytes that the editor read. Readers find the old bytes
//! or the new ones, also after a crash. What ships with Piton is never written.
//!
//! *Limitations*: another program that does not lock the directory may still write between the comparison and the
//! replacement.
#![expect(clippy::disallowed_methods, reason = "the adapter that writes workflow files")]

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use piton_core::digest::FileBytes;
use piton_core::error::{MeasuredSize, Retry, sentence};
use piton_core::{Code, Digest, Envelope};
use piton_workflow::bounds::SOURCE_BYTES_MAX;
use piton_workflow::source::{Dialect, Purpose, file_schema, rename_ids};

use super::scan::read;
use super::source_files::{SourceFiles, SourceLocation, unreadable};
use crate::bounds::SOURCE_DEPTH_MAX;
use crate::reply::{SaveConflict, SaveOutcome, SavedSource, SourceCheck};
use crate::request::{CopySource, NewSource, SaveSource};
use crate::text_diff;

/// Template of a new workflow.
const TEMPLATE: &str = include_str!("template.json");

/// File that the template refers to as its schema. The library skips names with a dot.
const SCHEMA_FILE: &str = ".workflow.schema.json";

/// Beginning of the name of a file that is being written. The library skips names with a dot.
const UNFINISHED: &str = ".piton-save-";

impl SourceFiles {
    /// Saves the text of a file that was read, or of a new one.
    pub fn save(&self, request: &SaveSource) -> Result<SaveOutcome, Envelope> {
        let SaveSource { source, text, digest_read, with_problems } = request;
        // Checked whatever the caller wants: a larger file could not be read again.
        if text.len() > SOURCE_BYTES_MAX {
            let advice = "Split it into several workflows.";
            let what = "The text of a workflow";
            let (measured, measure) = (text.len(), MeasuredSize::Utf8Bytes);
            return Err(Envelope::over_budget(what, measured, SOURCE_BYTES_MAX, measure, advice));
        }
        let path = match self.locate(source) {
            Ok(SourceLocation::File(path)) => path,
            Ok(SourceLocation::Bundled(bundled)) => {
                return Err(read_only(bundled.workflow_id().as_str()));
            }
            Err(not_found) => {
                let path = self.new_file(source).ok_or(not_found)?;
                // The usual directories need not exist. Anything below them must, and is never made through a link.
                let directory = self.source_of(&path).1;
                make_directory(&directory)?;
                path
            }
        };
        // A file may keep an older id, but none begins with one.
        let purpose = if digest_read.is_some() { Purpose::Load } else { Purpose::Save };
        let check = self.check(text, Some(&path), purpose);
        if !check.is_sound && !with_problems {
            return Ok(SaveOutcome::Unsound { check });
        }
        let target = self.writable(&path)?;
        let _lock = lock(target.parent().unwrap_or(Path::new("/")))?;
        // Compared under the lock, so that of two saves of the same version one is refused.
        let current = match read(&target) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let digest = current.as_ref().map(|text| digest_of(text));
        if digest != *digest_read {
            let (lines, lines_left_out) =
                text_diff::lines(current.as_deref().unwrap_or_default(), text);
            let path = path.display().to_string();
            let digest_read = *digest_read;
            return Ok(SaveOutcome::Conflict(SaveConflict {
                path,
                digest_read,
                digest,
                text: current,
                lines,
                lines_left_out,
            }));
        }
        replace(&target, text.as_bytes()).map_err(|error| not_written(&path, &error))?;
        Ok(SaveOutcome::Saved(saved(&path, text, check)))
    }

    /// Copies a workflow under a new id, for the user or for the project. All else stays as its author wrote it.
    pub fn copy(&self, request: &CopySource) -> Result<SavedSource, Envelope> {
        let CopySource { source, target } = request;
        let text = match self.locate(source)? {
            SourceLocation::Bundled(bundled) => bundled.text().to_owned(),
            SourceLocation::File(path) => read(&path).map_err(|error| unreadable(&path, &error))?,
        };
        self.begin(&text, target)
    }

    /// Begins a workflow from a template that can be run as it is, with the schema that an editor checks it by.
    pub fn create(&self, request: &NewSource) -> Result<SavedSource, Envelope> {
        let saved = self.begin(TEMPLATE, request)?;
        let (_, directory) = self.directory(request.project)?;
        let target = self.writable(&directory.join(SCHEMA_FILE))?;
        let schema = schema_text(Dialect::Strict);
        let _lock = lock(&directory)?;
        // It is replaced where another version of Piton wrote it.
        if read(&target).ok().as_ref() != Some(&schema) {
            replace(&target, schema.as_bytes()).map_err(|error| not_written(&target, &error))?;
        }
        Ok(saved)
    }

    /// Writes a text under a new id, to a file that is named after it.
    fn begin(
        &self,
        text: &str,
        NewSource { id, project, replace: may_replace }: &NewSource,
    ) -> Result<SavedSource, Envelope> {
        let text = rename_ids(text, Some(id.as_str()), &BTreeMap::new());
        let (_, directory) = self.directory(*project)?;
        let name = id.as_str().rsplit('.').next().unwrap_or(id.as_str());
        let path = directory.join(format!("{name}.json"));
        let check = self.check(&text, Some(&path), Purpose::Save);
        match &check {
            SourceCheck { workflow_id: Some(renamed), .. } if renamed == id => {}
            check => return Err(not_loading(check)),
        }
        make_directory(&directory)?;
        let target = self.writable(&path)?;
        let _lock = lock(&directory)?;
        if fs::exists(&target).unwrap_or(true) && !may_replace {
            let what = format!("{} already exists and was left as it is.", path.display());
            return Err(Envelope::new(Code::ValidationError, what)
                .with_suggestion("Name another file, or add --force to replace it."));
        }
        replace(&target, text.as_bytes()).map_err(|error| not_written(&path, &error))?;
        Ok(saved(&path, &text, check))
    }

    /// Returns the path of a file that is yet to be written, if the library would find it there.
    pub(super) fn new_file(&self, source: &str) -> Option<PathBuf> {
        let path = PathBuf::from(source);
        let inside = self.sources.iter().find_map(|one| path.strip_prefix(&one.directory).ok())?;
        let plain = inside.components().all(|part| match part {
            std::path::Component::Normal(name) => !name.as_encoded_bytes().starts_with(b"."),
            _ => false,
        });
        let depth = inside.components().count();
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        (plain && is_json && (1..=SOURCE_DEPTH_MAX + 1).contains(&depth)).then_some(path)
    }

    /// Resolves the links of a file, and refuses one that leads out of the directories of workflows: a project from
    /// elsewhere may hold a link to any file of its reader.
    fn writable(&self, path: &Path) -> Result<PathBuf, Envelope> {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            // A link that leads nowhere has a name here as well, and is refused below.
            Err(_) if fs::symlink_metadata(path).is_err() => {
                let parent = path.parent().unwrap_or(Path::new("/"));
                let parent = fs::canonicalize(parent).map_err(|error| not_written(path, &error))?;
                parent.join(path.file_name().unwrap_or_default())
            }
            Err(error) => return Err(not_written(path, &error)),
        };
        let sources = self.sources.iter().filter_map(|one| fs::canonicalize(&one.directory).ok());
        if sources.into_iter().any(|directory| real.starts_with(directory)) {
            return Ok(real);
        }
        let message = format!(
            "{} leads to {}, which is in no directory of workflows. Nothing was written.",
            path.display(),
            real.display()
        );
        Err(Envelope::new(Code::ValidationError, message).with_suggestion(
            "Edit that file yourself, or name its directory in `workflows.dirs` of your configuration.",
        ))
    }
}

/// Returns the JSON Schema of workflow files in `dialect`, as a file holds it.
pub fn schema_text(dialect: Dialect) -> String {
    let schema = serde_json::to_string_pretty(&file_schema(dialect));
    schema.expect("a schema is JSON") + "\n"
}

fn saved(path: &Path, text: &str, check: SourceCheck) -> SavedSource {
    SavedSource { path: path.display().to_string(), digest: digest_of(text), check }
}

fn digest_of(text: &str) -> Digest {
    Digest::of(&FileBytes(text.as_bytes()))
}

/// Locks a directory against other saves, of this process and of others.
fn lock(directory: &Path) -> Result<File, Envelope> {
    let refused = |error: &io::Error| not_written(directory, error);
    let held = File::open(directory).map_err(|error| refused(&error))?;
    match held.try_lock() {
        Ok(()) => Ok(held),
        Err(TryLockError::Error(error)) => Err(refused(&error)),
        Err(TryLockError::WouldBlock) => {
            let message = format!(
                "Another program is saving in {}. Nothing was written.",
                directory.display()
            );
            Err(Envelope::new(Code::ValidationError, message)
                .with_retry(Retry::RetryableImmediate)
                .with_suggestion("Save again."))
        }
    }
}

/// Replaces a file by one with these bytes, which keeps the permissions of the old one. The directory is locked.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = target.parent().unwrap_or(Path::new("/"));
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // Beside the target: a rename is atomic only within one file system.
    let unfinished = directory.join(format!("{UNFINISHED}{name}"));
    // A crash may have left one behind. Whoever holds the lock is the only one who writes it.
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written = write_new(&unfinished, bytes, target);
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
        return written;
    }
    // The name becomes durable with the directory.
    File::open(directory)?.sync_all()
}

fn write_new(unfinished: &Path, bytes: &[u8], target: &Path) -> io::Result<()> {
    // Does not follow a link that somebody put at the name meanwhile.
    let mut file = File::create_new(unfinished)?;
    file.write_all(bytes)?;
    if let Ok(before) = fs::metadata(target) {
        file.set_permissions(before.permissions())?;
    }
    // Content before name: after a crash the name refers to the old bytes or to all of the new ones.
    file.sync_all()?;
    fs::rename(unfinished, target)
}

/// Creates a directory of workflows. The console writes only to directories that existed when it started.
fn make_directory(directory: &Path) -> Result<(), Envelope> {
    fs::create_dir_all(directory).map_err(|error| {
        let failure = not_written(directory, &error);
        match error.kind() {
            ErrorKind::PermissionDenied => failure.with_suggestion(format!(
                "Create it with `mkdir -p {}`, then start the console again: it may write only where a directory was when it started.",
                directory.display()
            )),
            _ => failure,
        }
    })
}

fn not_written(path: &Path, error: &io::Error) -> Envelope {
    let (why, instead) = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => (
            "permission denied".to_owned(),
            "Choose another place, or run this as a user with permission.",
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            ("there is no space left".to_owned(), "Free some space and save again.")
        }
        _ => (error.to_string(), "Fix the cause and save again."),
    };
    let message = sentence(&format!("could not write {}: {why}", path.display()));
    Envelope::new(Code::StoreIo, message).with_suggestion(instead)
}

fn read_only(id: &str) -> Envelope {
    let name = id.rsplit('.').next().unwrap_or(id);
    Envelope::new(
        Code::ValidationError,
        format!("`{id}` comes with Piton and cannot be changed. Nothing was written."),
    )
    .with_suggestion(format!(
        "Copy it, and change the copy: `piton workflow fork {id} user.{name}`."
    ))
}

fn not_loading(check: &SourceCheck) -> Envelope {
    let first = check.problems.first();
    let first = first.map_or_else(
        || "The id was not found in the file.".to_owned(),
        |first| first.problem.to_string(),
    );
    let message = format!("The file would not load, so it was not written. {first}");
    Envelope::new(Code::ValidationError, message).with_suggestion(
        "Choose an id in a namespace of your own, such as `user.review`. To change a workflow that comes \
         with Piton, copy it: `piton workflow fork wr.code_review user.review`.",
    )
}

#[cfg(test)]
mod tests {
    use piton_workflow::SourceKind;
    use piton_workflow::compile::{CompiledWarning, WarningCode};
    use piton_workflow::source::Purpose;

    use super::*;
    use crate::library::compile_beside;

    #[test]
    fn the_template_can_be_run_as_it_is() {
        let alone = tempfile::tempdir().unwrap();
        let compiled =
            compile_beside(TEMPLATE, SourceKind::User, alone.path(), Purpose::Load, &[]).unwrap();
        assert_eq!(compiled.workflow_id.as_str(), "user.template");
        // Every step with criteria gets this advice.
        let is_advice = |warning: &CompiledWarning| warning.code == WarningCode::ContractPreferred;
        assert!(
            compiled.compiled_warnings.iter().all(is_advice),
            "{:?}",
            compiled.compiled_warnings
        );
    }
}
