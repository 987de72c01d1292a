//! Tree nodes as rows of the table.
//!
//! *Invariants*: what a row says gives back the id that it is stored under, so that a damaged row is found out by
//! whoever reads it.

use piton_core::Digest;

use super::bytes::{Bytes, SEAL_BYTES, put_bytes, put_number, seal};
use crate::{
    bounds::DIRECTORY_ROW_ENTRIES,
    tree::{
        Directory, Name, NodeKind, Totals, TreeNode, TreeNodeId, TreePath, directory_id, file_id,
        symlink_id,
    },
};

const FILE: u8 = 0;
const EXECUTABLE: u8 = 1;
const SYMLINK: u8 = 2;
const DIRECTORY: u8 = 3;

/// What a tree node is, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeBody {
    /// A file.
    File {
        /// The digest of its bytes.
        content: Digest,
        /// Its size.
        size: u64,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// A symbolic link.
    Symlink {
        /// Where it points.
        target: Box<[u8]>,
    },
    /// A directory.
    Directory {
        /// What it holds at any depth.
        totals: Totals,
        /// How many entries it has.
        entries: u64,
        /// The first names of its second and later rows.
        splits: Vec<Name>,
        /// The entries of the rows that were read.
        children: Vec<ChildRecord>,
    },
}

/// An entry of a recorded directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildRecord {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub kind: NodeKind,
    /// Its id.
    pub id: TreeNodeId,
}

/// The form over which the seal at the end of a node's first row is made: not all of the row is part of the id.
const SEAL: &str = "node_row";

/// The rows of a node, the first with the path.
pub(crate) fn encode(path: &TreePath, node: &TreeNode) -> Vec<Vec<u8>> {
    let mut rows = encode_unsealed(path, node);
    let seal = seal(SEAL, &rows[0]);
    rows[0].extend_from_slice(&seal);
    rows
}

fn encode_unsealed(path: &TreePath, node: &TreeNode) -> Vec<Vec<u8>> {
    let mut row = Vec::with_capacity(64 + path.as_bytes().len());
    match node {
        TreeNode::File(file) => {
            row.push(if file.executable { EXECUTABLE } else { FILE });
            put_bytes(&mut row, path.as_bytes());
            put_number(&mut row, file.stamp.size);
            row.extend_from_slice(file.content.as_bytes());
            vec![row]
        }
        TreeNode::Symlink(symlink) => {
            row.push(SYMLINK);
            put_bytes(&mut row, path.as_bytes());
            put_bytes(&mut row, &symlink.target);
            vec![row]
        }
        TreeNode::Directory(directory) => encode_directory(row, path, directory),
    }
}

fn encode_directory(mut row: Vec<u8>, path: &TreePath, directory: &Directory) -> Vec<Vec<u8>> {
    row.push(DIRECTORY);
    put_bytes(&mut row, path.as_bytes());
    let totals = directory.totals();
    for count in [totals.files, totals.directories, totals.symlinks, totals.bytes] {
        put_number(&mut row, count);
    }
    let entries = directory.entries();
    put_number(&mut row, entries.len() as u64);
    let mut parts = entries.chunks(DIRECTORY_ROW_ENTRIES);
    let first = parts.next().unwrap_or_default();
    put_number(&mut row, parts.len() as u64);
    for part in parts.clone() {
        put_bytes(&mut row, part[0].name.as_bytes());
    }
    let mut rows = vec![row];
    for (place, part) in std::iter::once(first).chain(parts).enumerate() {
        if place > 0 {
            rows.push(Vec::new());
        }
        let row = rows.last_mut().expect("a row was just added");
        for entry in part {
            put_bytes(row, entry.name.as_bytes());
            row.push(match &entry.node {
                TreeNode::File(_) => FILE,
                TreeNode::Symlink(_) => SYMLINK,
                TreeNode::Directory(_) => DIRECTORY,
            });
            row.extend_from_slice(entry.node.id().as_bytes());
        }
    }
    rows
}

/// Reads the first row of a node.
pub(crate) fn decode(row: &[u8]) -> Option<(TreePath, NodeBody)> {
    let (row, sealed) = row.split_last_chunk::<SEAL_BYTES>()?;
    if *sealed != seal(SEAL, row) {
        return None;
    }
    let mut bytes = Bytes(row);
    let [kind] = bytes.array()?;
    let path = TreePath::new(bytes.bytes()?).ok()?;
    let body = match kind {
        FILE | EXECUTABLE => {
            let size = bytes.number()?;
            let content = bytes.digest()?;
            bytes.end(NodeBody::File { content, size, executable: kind == EXECUTABLE })?
        }
        SYMLINK => {
            let target = bytes.bytes()?.into();
            bytes.end(NodeBody::Symlink { target })?
        }
        DIRECTORY => {
            let totals = Totals {
                files: bytes.number()?,
                directories: bytes.number()?,
                symlinks: bytes.number()?,
                bytes: bytes.number()?,
            };
            let entries = bytes.number()?;
            let mut splits = Vec::new();
            for _ in 0..bytes.number()? {
                splits.push(Name::new(bytes.bytes()?).ok()?);
            }
            let children = decode_children(bytes.0)?;
            NodeBody::Directory { totals, entries, splits, children }
        }
        _ => return None,
    };
    Some((path, body))
}

/// Reads the entries of a directory's row.
pub(crate) fn decode_children(row: &[u8]) -> Option<Vec<ChildRecord>> {
    let mut bytes = Bytes(row);
    let mut children = Vec::new();
    while !bytes.0.is_empty() {
        let name = Name::new(bytes.bytes()?).ok()?;
        let kind = match bytes.array()? {
            [FILE] => NodeKind::File,
            [SYMLINK] => NodeKind::Symlink,
            [DIRECTORY] => NodeKind::Directory,
            _ => return None,
        };
        children.push(ChildRecord { name, kind, id: TreeNodeId::new(bytes.digest()?) });
    }
    Some(children)
}

impl NodeBody {
    /// What it is.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::File { .. } => NodeKind::File,
            Self::Symlink { .. } => NodeKind::Symlink,
            Self::Directory { .. } => NodeKind::Directory,
        }
    }

    /// The id that a node of this body at `path` has. Of a directory all rows must have been read.
    pub fn id(&self, path: &TreePath) -> TreeNodeId {
        let path = path.as_bytes();
        match self {
            Self::File { content, executable, .. } => file_id(path, *executable, *content),
            Self::Symlink { target } => symlink_id(path, target),
            Self::Directory { children, .. } => {
                let named = children.iter().map(|child| (child.name.as_bytes(), child.id));
                directory_id(path, named)
            }
        }
    }
}
