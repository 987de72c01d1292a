//! Tree nodes as rows of the table.
//!
//! *Invariants*: the content of a row gives the id that it is stored under, so every reader detects a damaged row.

use piton_core::Digest;

use super::bytes::{Bytes, SEAL_BYTES, put_bytes, put_number, seal};
use crate::bounds::DIRECTORY_ROW_ENTRIES;
use crate::tree::{
    Directory, Name, NodeKind, Totals, TreeNode, TreeNodeId, TreePath, directory_id, file_id,
    symlink_id,
};

const FILE: u8 = 0;
const EXECUTABLE: u8 = 1;
const SYMLINK: u8 = 2;
const DIRECTORY: u8 = 3;

/// The recorded content of a tree node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeBody {
    File {
        content: Digest,
        size: u64,
        /// Set when the owner may execute it.
        executable: bool,
    },
    Symlink {
        target: Box<[u8]>,
    },
    Directory {
        /// Totals of everything below it.
        totals: Totals,
        /// Number of direct entries.
        entries: u64,
        /// First names of its second and later rows.
        splits: Vec<Name>,
        /// Entries of the rows that were read.
        children: Vec<ChildRecord>,
    },
}

/// An entry of a recorded directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildRecord {
    pub name: Name,
    pub kind: NodeKind,
    pub id: TreeNodeId,
}

/// Domain of the hash that seals a node's first row, because not all of the row is part of the id.
const SEAL: &str = "node_row";

/// Encodes the rows of a node. The first one holds the path.
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
    // The first row lists where the others begin, so that a lookup of one name reads a single part.
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

/// Decodes the first row of a node.
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

/// Decodes the entries in a directory's row.
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
    /// Returns the kind of node.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::File { .. } => NodeKind::File,
            Self::Symlink { .. } => NodeKind::Symlink,
            Self::Directory { .. } => NodeKind::Directory,
        }
    }

    /// Computes the id that a node with this body has at `path`. For a directory, all rows must have been read.
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
