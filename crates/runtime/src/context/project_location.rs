//! Where a project is, and which id it has.
#![expect(clippy::disallowed_methods, reason = "asks the disk where a directory really is")]

use std::path::{Path, PathBuf};

use piton_context::history::NodeRef;
use piton_context::tree::TreePath;
use piton_context::{Error, ProjectId};
use piton_core::Envelope;

use crate::project_env::ProjectDir;

/// Where a project is: the directory itself, whatever links lead to it, and where in it somebody stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectLocation {
    directory: PathBuf,
    within: TreePath,
}

impl ProjectLocation {
    /// The place of a project, for somebody who stands in `standing`. Outside of the project they stand at its top.
    pub fn find(project: &ProjectDir, standing: Option<&Path>) -> Result<Self, Envelope> {
        let directory = std::fs::canonicalize(project.path()).map_err(|error| {
            let path = project.text();
            Error::Unscannable { path, reason: error.to_string() }.envelope()
        })?;
        let standing = standing.and_then(|standing| std::fs::canonicalize(standing).ok());
        let within = standing.and_then(|standing| tree_path(&directory, &standing));
        Ok(Self { within: within.unwrap_or_default(), directory })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The id under which everything about the project is kept.
    pub fn id(&self) -> ProjectId {
        ProjectId::of_directory(self.directory.as_os_str().as_encoded_bytes())
    }

    /// The tree node that is meant by a path as people write it, relative to where they stand or absolute, or by the
    /// beginning of an id.
    pub fn node(&self, text: &str) -> Result<NodeRef, Error> {
        let path = Path::new(text);
        if path.is_absolute() {
            let inside = tree_path(&self.directory, path);
            let inside = inside.ok_or_else(|| {
                Error::Path(piton_context::tree::PathError::Outside(text.to_owned()))
            })?;
            return Ok(NodeRef::from(&inside));
        }
        NodeRef::within(&self.within, text)
    }

    /// A path as somebody writes it who stands where this one does, in a command of a shell.
    pub fn shell_word(&self, path: &TreePath) -> String {
        let up = "../".repeat(self.within.depth());
        let text = format!("{up}{path}");
        piton_core::shell_word(&if text.starts_with('-') { format!("./{text}") } else { text })
    }

    /// A file of the project.
    #[cfg(feature = "flow")]
    pub(super) fn file(&self, path: &TreePath) -> PathBuf {
        use std::os::unix::ffi::OsStrExt as _;
        self.directory.join(std::ffi::OsStr::from_bytes(path.as_bytes()))
    }

    /// The path that is meant.
    pub fn path(&self, text: &str) -> Result<TreePath, Error> {
        let path = Path::new(text);
        if path.is_absolute() {
            let outside = || piton_context::tree::PathError::Outside(text.to_owned());
            return Ok(tree_path(&self.directory, path).ok_or_else(outside)?);
        }
        Ok(self.within.walk_to(text)?)
    }
}

fn tree_path(directory: &Path, path: &Path) -> Option<TreePath> {
    let below = path.strip_prefix(directory).ok()?;
    TreePath::new(below.as_os_str().as_encoded_bytes()).ok()
}
