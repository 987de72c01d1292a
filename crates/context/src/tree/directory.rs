//! A tree in memory: directories with their entries, built bottom up.
//!
//! *Invariants*: entries are in byte order of their names, names are unique, and every id is that of the content it
//! stands for. Unchanged directories are shared between a tree and its successor.

use std::sync::Arc;

use piton_core::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::id::{directory_id, file_id, symlink_id};
use super::path::extend;
use super::{FileStamp, Name, NodeKind, TreeNodeId, TreePath};

/// A directory with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    id: TreeNodeId,
    totals: Totals,
    entries: Vec<TreeEntry>,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    pub name: Name,
    pub node: TreeNode,
}

/// A tree node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeNode {
    File(TreeFile),
    Symlink(Symlink),
    Directory(Arc<Directory>),
}

/// A regular file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    pub id: TreeNodeId,
    /// Digest of the content.
    pub content: Digest,
    /// Set when the owner may execute it.
    pub executable: bool,
    /// State of the file system entry when the content was read.
    pub stamp: FileStamp,
}

/// A symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symlink {
    pub id: TreeNodeId,
    /// Target as it was written.
    pub target: Box<[u8]>,
    /// State of the file system entry when the link was read.
    pub stamp: FileStamp,
}

/// Counts of what a tree holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Totals {
    pub files: u64,
    /// Includes the topmost directory.
    pub directories: u64,
    pub symlinks: u64,
    /// Size of all files together.
    pub bytes: u64,
}

impl TreeFile {
    /// Creates a file at `path`.
    pub fn new(path: &[u8], executable: bool, content: Digest, stamp: FileStamp) -> Self {
        Self { id: file_id(path, executable, content), content, executable, stamp }
    }
}

impl Symlink {
    /// Creates a symbolic link at `path`.
    pub fn new(path: &[u8], target: Box<[u8]>, stamp: FileStamp) -> Self {
        Self { id: symlink_id(path, &target), target, stamp }
    }
}

impl TreeNode {
    /// Returns the id.
    pub fn id(&self) -> TreeNodeId {
        match self {
            Self::File(file) => file.id,
            Self::Symlink(symlink) => symlink.id,
            Self::Directory(directory) => directory.id,
        }
    }

    /// Returns the kind of node.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::File(_) => NodeKind::File,
            Self::Symlink(_) => NodeKind::Symlink,
            Self::Directory(_) => NodeKind::Directory,
        }
    }
}

impl TreeEntry {
    /// True if both are the same entry, including the stamp. Directories are compared by pointer, so one that was
    /// rebuilt counts as different.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.node, &other.node) {
                (TreeNode::Directory(one), TreeNode::Directory(other)) => Arc::ptr_eq(one, other),
                (one, other) => one == other,
            }
    }
}

impl Directory {
    /// Creates the directory at `path` with these entries, in any order.
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

    /// Creates a directory whose id and totals are already known.
    pub(crate) fn known(id: TreeNodeId, totals: Totals, entries: Vec<TreeEntry>) -> Self {
        Self { id, totals, entries }
    }

    /// Returns the id.
    pub fn id(&self) -> TreeNodeId {
        self.id
    }

    /// Returns the totals of everything below it.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Returns the entries in byte order of their names.
    pub fn entries(&self) -> &[TreeEntry] {
        &self.entries
    }

    /// Returns the entry with the given name.
    pub fn entry(&self, name: &[u8]) -> Option<&TreeEntry> {
        self.place(name).map(|place| &self.entries[place])
    }

    /// Returns the index of the entry with the given name.
    pub(crate) fn place(&self, name: &[u8]) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.name.as_bytes().cmp(name)).ok()
    }

    /// Visits every path below `path`, the path of this directory, with its node. Parents come before their entries.
    pub fn walk(&self, path: &TreePath, visit: &mut impl FnMut(&TreePath, &TreeNode)) {
        for entry in &self.entries {
            let below = path.join(&entry.name);
            visit(&below, &entry.node);
            if let TreeNode::Directory(directory) = &entry.node {
                directory.walk(&below, visit);
            }
        }
    }

    /// Returns the path of an entry of the directory at `path`.
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
