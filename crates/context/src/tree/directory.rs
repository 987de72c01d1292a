//! A tree in memory: directories with their entries, built bottom up.
//!
//! *Invariants*: entries are in byte order of their names, no name is there twice, and every id is that of what it
//! stands on. Directories are shared between a tree and its successor as far as nothing changed.

use std::sync::Arc;

use piton_core::Digest;
use serde::{Deserialize, Serialize};

use super::{
    FileStamp, Name, NodeKind, TreeNodeId, TreePath,
    hashed::{directory_id, file_id, symlink_id},
    path::extend,
};

/// A directory with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    id: TreeNodeId,
    totals: Totals,
    entries: Vec<TreeEntry>,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub node: TreeNode,
}

/// A tree node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeNode {
    /// A regular file.
    File(TreeFile),
    /// A symbolic link.
    Symlink(Symlink),
    /// A directory.
    Directory(Arc<Directory>),
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Its id.
    pub id: TreeNodeId,
    /// The digest of its bytes.
    pub content: Digest,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// What the file system said about it when its content was read.
    pub stamp: FileStamp,
}

/// A symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symlink {
    /// Its id.
    pub id: TreeNodeId,
    /// Where it points, as it was written.
    pub target: Box<[u8]>,
    /// What the file system said about it when it was read.
    pub stamp: FileStamp,
}

/// What a tree holds, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Totals {
    /// Files.
    pub files: u64,
    /// Directories, the topmost included.
    pub directories: u64,
    /// Symbolic links.
    pub symlinks: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

impl TreeFile {
    /// A file at `path`.
    pub fn new(path: &[u8], executable: bool, content: Digest, stamp: FileStamp) -> Self {
        Self { id: file_id(path, executable, content), content, executable, stamp }
    }
}

impl Symlink {
    /// A symbolic link at `path`.
    pub fn new(path: &[u8], target: Box<[u8]>, stamp: FileStamp) -> Self {
        Self { id: symlink_id(path, &target), target, stamp }
    }
}

impl TreeNode {
    /// Its id.
    pub fn id(&self) -> TreeNodeId {
        match self {
            Self::File(file) => file.id,
            Self::Symlink(symlink) => symlink.id,
            Self::Directory(directory) => directory.id,
        }
    }

    /// What it is.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::File(_) => NodeKind::File,
            Self::Symlink(_) => NodeKind::Symlink,
            Self::Directory(_) => NodeKind::Directory,
        }
    }
}

impl TreeEntry {
    /// Whether this is that entry, stamp included. Directories are compared by where they are in memory, so that
    /// one that was built anew is another one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.node, &other.node) {
                (TreeNode::Directory(one), TreeNode::Directory(other)) => Arc::ptr_eq(one, other),
                (one, other) => one == other,
            }
    }
}

impl Directory {
    /// The directory at `path` with these entries, in whatever order they come.
    ///
    /// # Panics
    ///
    /// If two entries have the same name, which no directory has.
    pub fn new(path: &[u8], mut entries: Vec<TreeEntry>) -> Self {
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        assert!(
            entries.windows(2).all(|pair| pair[0].name != pair[1].name),
            "a directory has no two entries of one name"
        );
        let named = entries.iter().map(|entry| (entry.name.as_bytes(), entry.node.id()));
        let id = directory_id(path, named);
        let mut totals = Totals { directories: 1, ..Totals::default() };
        for entry in &entries {
            totals.add(&entry.node);
        }
        Self { id, totals, entries }
    }

    /// A directory whose id and counts are known from elsewhere.
    pub(crate) fn known(id: TreeNodeId, totals: Totals, entries: Vec<TreeEntry>) -> Self {
        Self { id, totals, entries }
    }

    /// Its id.
    pub fn id(&self) -> TreeNodeId {
        self.id
    }

    /// What it holds at any depth.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Its entries in byte order of their names.
    pub fn entries(&self) -> &[TreeEntry] {
        &self.entries
    }

    /// The entry of that name.
    pub fn entry(&self, name: &[u8]) -> Option<&TreeEntry> {
        self.place(name).map(|place| &self.entries[place])
    }

    /// The place of the entry of that name among the others.
    pub(crate) fn place(&self, name: &[u8]) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.name.as_bytes().cmp(name)).ok()
    }

    /// Every path below `path`, where this directory is, with its node; parents before what they hold.
    pub fn walk(&self, path: &TreePath, visit: &mut impl FnMut(&TreePath, &TreeNode)) {
        for entry in &self.entries {
            let below = path.join(&entry.name);
            visit(&below, &entry.node);
            if let TreeNode::Directory(directory) = &entry.node {
                directory.walk(&below, visit);
            }
        }
    }

    /// The path of an entry of the directory at `path`.
    pub fn entry_path(path: &[u8], name: &Name) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(path.len() + 1 + name.as_bytes().len());
        extend(&mut bytes, path, name.as_bytes());
        bytes
    }
}

impl Totals {
    fn add(&mut self, node: &TreeNode) {
        match node {
            TreeNode::File(file) => {
                self.files += 1;
                self.bytes += file.stamp.size;
            }
            TreeNode::Symlink(_) => self.symlinks += 1,
            TreeNode::Directory(directory) => {
                let below = directory.totals;
                self.files += below.files;
                self.directories += below.directories;
                self.symlinks += below.symlinks;
                self.bytes += below.bytes;
            }
        }
    }
}
