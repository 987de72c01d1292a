//! Identification and location of project directories.
#![expect(
    clippy::disallowed_methods,
    reason = "asks the disk where a directory really is, and reads single files"
)]

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use piton_core::{Digest, FileBytes};
use piton_store::port::Table;

use crate::Error;
use crate::history::NodeRef;
use crate::tree::{PathError, Preimage, TreePath};

/// The id of one project directory. Projects are invisible to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId([u8; 16]);

impl ProjectId {
    /// Returns the id of the project directory at an absolute path, given as bytes. Resolve symbolic links before, so
    /// that one directory has one id.
    pub fn of_directory(path: &[u8]) -> Self {
        let mut preimage = Preimage::new("project");
        preimage.field(path);
        let digest = preimage.finish();
        let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 bytes");
        Self(*first)
    }

    /// Returns the project that a key of the table belongs to.
    fn of_key(key: &[u8]) -> Option<Self> {
        key.first_chunk().map(|first| Self(*first))
    }

    /// Returns a key after all of its keys and before those of the next project: no row of a project begins with this
    /// letter.
    pub(crate) fn end(&self) -> Vec<u8> {
        [&self.0[..], &[u8::MAX]].concat()
    }

    /// Returns the first project in a table with keys after `after`.
    pub(crate) async fn next_in(
        table: &dyn Table,
        after: Option<&[u8]>,
    ) -> Result<Option<Self>, piton_store::Error> {
        let page = table.scan(&[], after, 1).await?;
        Ok(page.entries.first().and_then(|entry| Self::of_key(&entry.key)))
    }

    /// Returns the 16 bytes that its keys begin with.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ProjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The location of a project: its directory with all links resolved, and the caller's position within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectLocation {
    directory: PathBuf,
    within: TreePath,
}

impl ProjectLocation {
    /// Creates the location of a project whose caller is at the top of `directory`. Links must be resolved already.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), within: TreePath::root() }
    }

    /// Returns the location of a project for a caller in the directory `standing`. A caller outside of the project
    /// counts as being at its top.
    pub fn find(directory: &Path, standing: Option<&Path>) -> Result<Self, Error> {
        let resolved = fs::canonicalize(directory).map_err(|error| Error::Unscannable {
            path: directory.display().to_string(),
            reason: error.to_string(),
        })?;
        let standing = standing.and_then(|standing| fs::canonicalize(standing).ok());
        let location = Self::new(resolved);
        let within = standing.and_then(|standing| location.inside(&standing));
        Ok(Self { within: within.unwrap_or_default(), ..location })
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
        if Path::new(text).is_absolute() {
            return Ok(NodeRef::from(&self.path(text)?));
        }
        NodeRef::within(&self.within, text)
    }

    /// Returns the tree path for a path as people write it.
    pub fn path(&self, text: &str) -> Result<TreePath, Error> {
        let path = Path::new(text);
        if path.is_absolute() {
            let outside = || PathError::Outside(text.to_owned());
            return Ok(self.inside(path).ok_or_else(outside)?);
        }
        Ok(self.within.walk_to(text)?)
    }

    /// Returns a path relative to the caller's position, quoted for a shell.
    pub fn shell_word(&self, path: &TreePath) -> String {
        // Tree paths start at the top of the project, so the caller first has to go up there.
        let up = "../".repeat(self.within.depth());
        let text = format!("{up}{path}");
        piton_core::shell_word(&if text.starts_with('-') { format!("./{text}") } else { text })
    }

    /// Returns the text of a file of at most `bytes_max` bytes, if its content is still `content`, or else the reason
    /// that there is none.
    pub fn read_text(
        &self,
        path: &TreePath,
        content: Digest,
        bytes_max: u64,
    ) -> Result<String, String> {
        let file = self.directory.join(OsStr::from_bytes(path.as_bytes()));
        let mut bytes = Vec::new();
        let read =
            fs::File::open(file).and_then(|file| file.take(bytes_max + 1).read_to_end(&mut bytes));
        read.map_err(|error| format!("it cannot be read: {error}"))?;
        if bytes.len() as u64 > bytes_max {
            return Err(format!("it has more than {bytes_max} bytes"));
        }
        if Digest::of(&FileBytes(&bytes)) != content {
            return Err("it was changed since the scan; run the command again".to_owned());
        }
        String::from_utf8(bytes).map_err(|_| "it is not a text".to_owned())
    }

    fn inside(&self, path: &Path) -> Option<TreePath> {
        let below = path.strip_prefix(&self.directory).ok()?;
        TreePath::new(below.as_os_str().as_encoded_bytes()).ok()
    }
}
