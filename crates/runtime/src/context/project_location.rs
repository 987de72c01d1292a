//! The location and id of a project.
#![expect(clippy::disallowed_methods, reason = "asks the disk where a directory really is")]

use std::path::{Path, PathBuf};

use piton_context::history::NodeRef;
use piton_context::tree::TreePath;
use piton_context::{Error, ProjectId};
use piton_core::Envelope;

use crate::project_env::ProjectDir;

/// The location of a project: its directory with all links resolved, and the caller's position within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectLocation {
    directory: PathBuf,
    within: TreePath,
}

impl ProjectLocation {
    /// Returns the location of a project for a caller in the directory `standing`. A caller outside of the project
    /// counts as being at its top.
    pub fn find(project: &ProjectDir, standing: Option<&Path>) -> Result<Self, Envelope> {
        let directory = std::fs::canonicalize(project.path()).map_err(|error| {
            let path = project.text();
            Error::Unscannable { path, reason: error.to_string() }.envelope()
        })?;
        let standing = standing.and_then(|standing| std::fs::canonicalize(standing).ok());
        let within = standing.and_then(|standing| tree_path(&directory, &standing));
        Ok(Self { within: within.unwrap_or_default(), directory })
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the id under which everything about the project is kept.
    pub fn id(&self) -> ProjectId {
        ProjectId::of_directory(self.directory.as_os_str().as_encoded_bytes())
    }

    /// Returns the tree node for a path as people write it, absolute or relative to the caller's position, or for the
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

    /// Returns a path relative to the caller's position, quoted for a shell.
    pub fn shell_word(&self, path: &TreePath) -> String {
        // Tree paths start at the top of the project, so the caller first has to go up there.
        let up = "../".repeat(self.within.depth());
        let text = format!("{up}{path}");
        piton_core::shell_word(&if text.starts_with('-') { format!("./{text}") } else { text })
    }

    /// Returns the absolute path of a file of the project.
    #[cfg(feature = "flow")]
    pub(super) fn file(&self, path: &TreePath) -> PathBuf {
        use std::os::unix::ffi::OsStrExt as _;
        self.directory.join(std::ffi::OsStr::from_bytes(path.as_bytes()))
    }

    /// Returns the tree path for a path as people write it.
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
