//! The layout of trees and frames in the table: keys, tree nodes as values, and values byte by byte.
//! `docs/format/context.md` describes it. Pure.
//!
//! A key consists of the 16 bytes of the project, one letter for the kind of row, and the subject of the row. Paths end
//! with a zero byte, which no path contains. The rows of one path are therefore adjacent, and those of a directory's
//! subtree form one range.
//!
//! *Invariants*: the content of the row of a node gives the id that it is stored under, so every reader detects a
//! damaged row.

use piton_core::{Digest, RunId};
use piton_store::port::Key;

use crate::ProjectId;
use crate::bounds::DIRECTORY_ROW_ENTRIES;
use crate::tree::{
    Directory, Name, NodeKind, Preimage, Totals, TreeNode, TreeNodeId, TreePath, directory_id,
    file_id, symlink_id,
};
use crate::word::{FrameType, Label};

/// The kinds of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// The current tree.
    Current = b'R' as isize,
    /// A recorded tree, by its number.
    Root = b'r' as isize,
    /// A label of a recorded tree.
    Label = b'l' as isize,
    /// Old path of a renamed file, by its new path.
    Renamed = b'v' as isize,
    /// Current path of something that moved, by its old path.
    MovedTo = b'w' as isize,
    /// Old path whose frames have not been adopted yet, by the new path.
    ToAdopt = b'a' as isize,
    /// A path that is gone, had the same content and has frames, by the path of a new file. There are several
    /// candidates.
    Candidate = b'c' as isize,
    /// A tree node, by its id.
    Node = b'n' as isize,
    /// The number of the next append.
    Sequence = b'q' as isize,
    /// A frame, by its path and index.
    Frame = b'f' as isize,
    /// Path and index of a frame, by its id.
    Place = b'i' as isize,
    /// The authenticated set of the frames of a path.
    Set = b's' as isize,
    /// Number of the append that last made a frame the head again, by its path and index.
    Moved = b'm' as isize,
    /// A head, by its path and frame type.
    Head = b'h' as isize,
    /// The frames of a basis.
    Basis = b'b' as isize,
    /// The frames that were made from a frame.
    Dependent = b'd' as isize,
    /// The frames of a run, by their paths and indices.
    OfRun = b'u' as isize,
    /// Marks that every frame of a run has such a row.
    AllListed = b'U' as isize,
    /// A head that is to be regenerated.
    Invalid = b'x' as isize,
    /// A directory in which heads changed since its frames were last regenerated.
    Touched = b'y' as isize,
    /// A row that could not be read, by its original key.
    Aside = b'z' as isize,
}

/// Creates the keys of one project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectKeys(pub(crate) ProjectId);

impl ProjectKeys {
    fn key(self, row: RowKind, subject: &[&[u8]]) -> Vec<u8> {
        let mut key = Vec::with_capacity(96);
        key.extend_from_slice(self.0.as_bytes());
        key.push(row as u8);
        for part in subject {
            key.extend_from_slice(part);
        }
        key
    }

    /// Returns the prefix of all keys of a kind.
    pub(crate) fn all(self, row: RowKind) -> Vec<u8> {
        self.key(row, &[])
    }

    /// Returns the key of the only row of its kind.
    pub(crate) fn only(self, row: RowKind) -> Key {
        self.key(row, &[]).into()
    }

    pub(crate) fn root(self, sequence: u64) -> Key {
        self.key(RowKind::Root, &[&sequence.to_be_bytes()]).into()
    }

    pub(crate) fn label(self, label: &Label) -> Key {
        self.key(RowKind::Label, &[label.as_str().as_bytes()]).into()
    }

    /// Returns the key of a tree node, or of a later row of a directory that needs several.
    pub(crate) fn node(self, id: TreeNodeId, part: u32) -> Key {
        let later = part.to_be_bytes();
        self.key(RowKind::Node, &[id.as_bytes(), if part > 0 { &later } else { &[] }]).into()
    }

    /// Returns the prefix of the rows of a kind about exactly this path.
    pub(crate) fn at(self, row: RowKind, path: &TreePath) -> Vec<u8> {
        self.key(row, &[path.as_bytes(), &[0]])
    }

    /// Returns the prefix of the rows of a kind about paths below this one.
    pub(crate) fn below(self, row: RowKind, path: &TreePath) -> Vec<u8> {
        self.key(row, &[path.as_bytes(), if path.is_root() { b"" } else { b"/" }])
    }

    pub(crate) fn numbered(self, row: RowKind, path: &TreePath, number: u64) -> Key {
        self.key(row, &[path.as_bytes(), &[0], &number.to_be_bytes()]).into()
    }

    pub(crate) fn typed(self, row: RowKind, path: &TreePath, frame_type: &FrameType) -> Key {
        self.key(row, &[path.as_bytes(), &[0], frame_type.as_str().as_bytes()]).into()
    }

    /// Returns the prefix of the rows of a run's frames. After it, a key continues like that of the frame's own row
    /// after its letter.
    pub(crate) fn made_in(self, run: RunId) -> Vec<u8> {
        self.key(RowKind::OfRun, &[run.as_bytes()])
    }

    pub(crate) fn of_run(self, run: RunId, path: &TreePath, index: u64) -> Key {
        let parts: [&[u8]; 4] = [run.as_bytes(), path.as_bytes(), &[0], &index.to_be_bytes()];
        self.key(RowKind::OfRun, &parts).into()
    }

    /// Returns the key of a row about one digest, or about two.
    pub(crate) fn digests(self, row: RowKind, first: &Digest, second: Option<&Digest>) -> Key {
        let second = second.map_or(&[][..], |second| second.as_bytes());
        self.key(row, &[first.as_bytes(), second]).into()
    }
}

/// Returns the id in the key of a tree node's row.
pub(crate) fn node_id_of(key: &[u8]) -> Option<TreeNodeId> {
    let id = key.get(17..17 + 32)?.try_into().ok()?;
    Some(TreeNodeId::new(Digest::from_bytes(id)))
}

/// Splits a key of a kind with paths into its path and the rest.
pub(crate) fn split_path(key: &[u8]) -> Option<(TreePath, &[u8])> {
    let rest = key.get(17..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    Some((TreePath::new(&rest[..end]).ok()?, &rest[end + 1..]))
}

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
const NODE_SEAL: &str = "node_row";

/// Encodes the rows of a node. The first one holds the path.
pub(crate) fn encode_node(path: &TreePath, node: &TreeNode) -> Vec<Vec<u8>> {
    let mut rows = encode_unsealed(path, node);
    let seal = seal(NODE_SEAL, &rows[0]);
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
pub(crate) fn decode_node(row: &[u8]) -> Option<(TreePath, NodeBody)> {
    let (row, sealed) = row.split_last_chunk::<SEAL_BYTES>()?;
    if *sealed != seal(NODE_SEAL, row) {
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

/// Size of a seal, which shows whether a row was changed where not all of it is part of an id.
pub(crate) const SEAL_BYTES: usize = 8;

/// Computes the seal of bytes of a form.
pub(crate) fn seal(form: &str, bytes: &[u8]) -> [u8; SEAL_BYTES] {
    let mut preimage = Preimage::new(form);
    preimage.field(bytes);
    let digest = preimage.finish();
    *digest.as_bytes().first_chunk().expect("a digest has 32 bytes")
}

/// Appends a number: eight bytes, most significant first, so that keys sort like numbers.
pub(crate) fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_be_bytes());
}

/// Appends bytes after their length.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes values from the front of bytes. Every method returns `None` if too few bytes are left.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?;
        self.take(usize::try_from(count).ok()?)
    }

    pub(crate) fn digest(&mut self) -> Option<Digest> {
        self.array().map(Digest::from_bytes)
    }

    /// Returns the value if no bytes are left.
    pub(crate) fn end<T>(&self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }
}
