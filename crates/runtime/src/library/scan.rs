//! The directories that are searched for workflows, and reading their files.
//!
//! *Invariants*: the result does not depend on the order in which the system lists a directory. Names that begin with a
//! dot are skipped, and links to directories are not followed, so every search ends.
#![expect(clippy::disallowed_methods, reason = "the adapter that reads workflow files")]

use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use piton_workflow::SourceKind;
use piton_workflow::bounds::SOURCE_BYTES_MAX;

use crate::bounds::{SOURCE_DEPTH_MAX, SOURCE_ENTRIES_MAX, SOURCE_FILES_MAX};
use crate::config::{SettingSource, Settings};

/// Directory of a project's workflows, below the project directory.
pub const PROJECT_WORKFLOWS: &str = ".piton/workflows";

/// Directory of a user's workflows, below the user's configuration directory.
pub const USER_WORKFLOWS: &str = "workflows";

/// A directory with workflow files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowSource {
    pub kind: SourceKind,
    pub directory: PathBuf,
    /// Set if the configuration names it, so that it has to exist.
    pub is_named: bool,
}

/// Returns the directories that are searched for a project, weakest first.
pub fn sources(
    settings: &Settings,
    user_dir: Option<&Path>,
    project: Option<&Path>,
) -> Vec<WorkflowSource> {
    let (named, place) = settings.workflow_dirs();
    let kind = if place == SettingSource::Project { SourceKind::Project } else { SourceKind::User };
    let usual = |kind, directory| WorkflowSource { kind, directory, is_named: false };
    let user = user_dir.map(|dir| usual(SourceKind::User, dir.join(USER_WORKFLOWS)));
    let named = named.iter().cloned();
    let named = named.map(|directory| WorkflowSource { kind, directory, is_named: true });
    let project = project.map(|dir| usual(SourceKind::Project, dir.join(PROJECT_WORKFLOWS)));
    user.into_iter().chain(named).chain(project).collect()
}

/// Metadata that distinguishes a file from its earlier versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceStamp {
    // The change time catches writes that restore the modification time, and the inode catches a replaced file.
    file: (u64, u64),
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl SourceStamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            file: (metadata.dev(), metadata.ino()),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// The result of searching a directory.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// The files, by path.
    pub(super) files: Vec<(PathBuf, io::Result<SourceStamp>)>,
    /// Directories that could not be searched, or not completely.
    pub(super) troubles: Vec<(PathBuf, ScanError)>,
}

/// Reasons that a directory was not searched completely.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScanError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It holds more files than the limit.
    #[error("it holds more than {SOURCE_FILES_MAX} workflow files; those behind are not read")]
    TooManyFiles,
    /// It holds more entries than the limit.
    #[error(
        "more than {SOURCE_ENTRIES_MAX} files and directories are in the way; name a smaller directory"
    )]
    TooManyEntries,
    /// It lies too far below the directory that was named.
    #[error(
        "it is not searched, because it lies more than {SOURCE_DEPTH_MAX} directories deep{}; move the workflows in it \
         up, or name it in `workflows.dirs` of your configuration",
        as_others(*.others)
    )]
    TooDeep {
        /// Number of other directories that lie too deep as well.
        others: usize,
    },
}

fn as_others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", as one other directory is".to_owned(),
        _ => format!(", as {count} other directories are"),
    }
}

/// Finds every `*.json` file below `directory`.
pub(super) fn scan(directory: &Path) -> Scanned {
    let mut scanned = Scanned::default();
    // One count for the whole search, so that a wide tree is bounded like a deep one.
    let mut entries = 0;
    let mut too_deep = Vec::new();
    let mut waiting = vec![(directory.to_path_buf(), 0)];
    while let Some((directory, depth)) = waiting.pop() {
        let names = match names_in(&directory, &mut entries) {
            Ok(names) => names,
            Err(trouble) => {
                scanned.troubles.push((directory, trouble));
                continue;
            }
        };
        let mut below = Vec::new();
        for (path, is_dir) in names {
            if is_dir {
                below.push(path);
            } else if scanned.files.len() >= SOURCE_FILES_MAX {
                scanned.troubles.push((directory, ScanError::TooManyFiles));
                return sorted(scanned);
            } else {
                let stamp = fs::metadata(&path).map(|metadata| SourceStamp::of(&metadata));
                scanned.files.push((path, stamp));
            }
        }
        if depth < SOURCE_DEPTH_MAX {
            // Reversed, because the stack pops the last entry first: directories are visited by name.
            waiting.extend(below.into_iter().rev().map(|path| (path, depth + 1)));
        } else {
            too_deep.append(&mut below);
        }
    }
    // One directory stands for all: a source named by mistake may hold thousands.
    let others = too_deep.len().saturating_sub(1);
    let first = too_deep.into_iter().next();
    scanned.troubles.extend(first.map(|path| (path, ScanError::TooDeep { others })));
    sorted(scanned)
}

fn sorted(mut scanned: Scanned) -> Scanned {
    scanned.files.sort_by(|(left, _), (right, _)| left.cmp(right));
    scanned
}

/// Returns the subdirectories and `*.json` files of a directory, by name.
fn names_in(directory: &Path, entries: &mut usize) -> Result<Vec<(PathBuf, bool)>, ScanError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        *entries += 1;
        if *entries > SOURCE_ENTRIES_MAX {
            return Err(ScanError::TooManyEntries);
        }
        let entry = entry?;
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // The type of the entry itself: a link to a directory is not one, so cycles cannot arise.
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if is_dir || is_json {
            names.push((path, is_dir));
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the text of a file.
pub(super) fn read(path: &Path) -> io::Result<String> {
    // Asked before the file is opened: opening a pipe waits until somebody writes to it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    // One byte beyond the limit is enough to notice a file that is too large, even if it grows meanwhile.
    fs::File::open(path)?.take(SOURCE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > SOURCE_BYTES_MAX {
        let told = format!("it has more than {SOURCE_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, told));
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}
