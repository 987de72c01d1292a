//! The project directory of a call.
//!
//! A caller may name one. Otherwise it comes from the configuration, or else from what the front end knows: the root
//! reported by the client, `CLAUDE_PROJECT_DIR`, the working directory. The first that exists counts.
#![expect(clippy::disallowed_methods, reason = "asks the disk whether a directory exists")]

use std::path::{Path, PathBuf};

use piton_core::{Code, Envelope};

use crate::bounds::{ANCESTORS_MAX, PATH_QUOTED_BYTES_MAX};
use crate::config::PROJECT_FILE;

/// Marks at the top of a project: its configuration, its workflows, or a repository.
const MARKS: [&str; 3] = [PROJECT_FILE, ".piton", ".git"];

/// The project directory of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectDir(PathBuf);

impl ProjectDir {
    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the directory as text.
    pub fn text(&self) -> String {
        self.0.display().to_string()
    }
}

/// Returns the project directory: the one `asked` for, or the first of `known` that exists. Either is taken as a place
/// inside a project: the nearest directory at or above it that looks like the top of a project counts, or else the
/// place itself.
pub fn project_dir<'a>(
    asked: Option<&str>,
    known: impl IntoIterator<Item = &'a Path>,
) -> Result<Option<ProjectDir>, Envelope> {
    if let Some(asked) = asked {
        let path = Path::new(asked);
        let problem = if !path.is_absolute() {
            "is not an absolute path"
        } else if !path.is_dir() {
            "is not a directory here"
        } else {
            return Ok(Some(top_of(path)));
        };
        let message = format!(
            "projectDir `{}` {problem}.",
            piton_core::truncate(asked, PATH_QUOTED_BYTES_MAX)
        );
        return Err(Envelope::new(Code::ValidationError, message).with_suggestion(
            "Send the absolute path of the directory that you work in, or leave projectDir out.",
        ));
    }
    let exists = |path: &&Path| path.is_absolute() && path.is_dir();
    Ok(known.into_iter().find(exists).map(top_of))
}

fn top_of(path: &Path) -> ProjectDir {
    // Removes `.` and doubled slashes, so that one directory has one name.
    let plain: PathBuf = path.components().collect();
    let has_mark = |dir: &&Path| MARKS.iter().any(|mark| dir.join(mark).exists());
    let above = plain.ancestors().take(ANCESTORS_MAX).find(has_mark);
    ProjectDir(above.map_or_else(|| plain.clone(), Path::to_path_buf))
}
