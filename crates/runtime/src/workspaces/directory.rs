//! Directories as configuration names them: their absolute paths, and whether they lie inside a project.
#![expect(clippy::disallowed_methods, reason = "asks the disk where a directory really is")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Resolves a directory that a file in `base` names.
pub(super) fn absolute(
    directory: &Path,
    base: &Path,
    home: Option<&Path>,
) -> Result<PathBuf, String> {
    let path = match directory.strip_prefix("~") {
        Ok(rest) => home
            .ok_or("has a `directory` that needs a home directory, and there is none")?
            .join(rest),
        Err(_) => base.join(directory),
    };
    // Taken apart and put together, a path has neither `.` nor doubled slashes.
    Ok(path.components().collect())
}

/// Refuses a directory that lies outside `project` or in its `.git`, wherever links lead. A directory that does not
/// exist is reported when it is opened.
pub(super) fn check_inside(directory: &Path, project: &Path) -> Result<(), String> {
    let directory = real(directory);
    if let Ok(inside) = directory.strip_prefix(real(project)) {
        let git =
            |part: &OsStr| part.to_str().and_then(piton_workspaces::protected_name) == Some(".git");
        if inside.iter().any(git) {
            return Err("has a `directory` in `.git`, which a project may not name: declare it in your own configuration file, or with --workspace".to_owned());
        }
        return Ok(());
    }
    Err("has a `directory` outside of the project, which a project may not name: declare it in your own configuration file, or with --workspace".to_owned())
}

/// Resolves a path as far as it exists.
pub(super) fn real(path: &Path) -> PathBuf {
    // `canonicalize` needs an existing path, so the nearest existing ancestor is resolved.
    for above in path.ancestors() {
        if let Ok(found) = fs::canonicalize(above) {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            // The part that does not exist has no links to resolve, so `..` in it is applied literally.
            return rest.components().fold(found, |at, part| match part {
                Component::ParentDir => at.parent().unwrap_or(&at).to_owned(),
                Component::Normal(name) => at.join(name),
                _ => at,
            });
        }
    }
    path.to_owned()
}
