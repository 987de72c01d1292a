//! The keys of the table.
//!
//! A key consists of the 16 bytes of the project, one letter for the kind of row, and the subject of the row. Paths end
//! with a zero byte, which no path contains. The rows of one path are therefore adjacent, and those of a directory's
//! subtree form one range.

use piton_core::{Digest, RunId};
use piton_store::port::Key;

use crate::ProjectId;
use crate::tree::{TreeNodeId, TreePath};
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
    fn start(self, row: RowKind) -> Vec<u8> {
        let mut key = Vec::with_capacity(96);
        key.extend_from_slice(self.0.as_bytes());
        key.push(row as u8);
        key
    }

    /// Returns the prefix of all keys of a kind.
    pub(crate) fn all(self, row: RowKind) -> Vec<u8> {
        self.start(row)
    }

    /// Returns the key of the only row of its kind.
    pub(crate) fn only(self, row: RowKind) -> Key {
        self.start(row).into()
    }

    pub(crate) fn root(self, sequence: u64) -> Key {
        let mut key = self.start(RowKind::Root);
        key.extend_from_slice(&sequence.to_be_bytes());
        key.into()
    }

    pub(crate) fn label(self, label: &Label) -> Key {
        let mut key = self.start(RowKind::Label);
        key.extend_from_slice(label.as_str().as_bytes());
        key.into()
    }

    /// Returns the key of a tree node, or of a later row of a directory that needs several.
    pub(crate) fn node(self, id: TreeNodeId, part: u32) -> Key {
        let mut key = self.start(RowKind::Node);
        key.extend_from_slice(id.as_bytes());
        if part > 0 {
            key.extend_from_slice(&part.to_be_bytes());
        }
        key.into()
    }

    /// Returns the prefix of the rows of a kind about exactly this path.
    pub(crate) fn at(self, row: RowKind, path: &TreePath) -> Vec<u8> {
        let mut key = self.start(row);
        key.extend_from_slice(path.as_bytes());
        key.push(0);
        key
    }

    /// Returns the prefix of the rows of a kind about paths below this one.
    pub(crate) fn below(self, row: RowKind, path: &TreePath) -> Vec<u8> {
        let mut key = self.start(row);
        if !path.is_root() {
            key.extend_from_slice(path.as_bytes());
            key.push(b'/');
        }
        key
    }

    pub(crate) fn numbered(self, row: RowKind, path: &TreePath, number: u64) -> Key {
        let mut key = self.at(row, path);
        key.extend_from_slice(&number.to_be_bytes());
        key.into()
    }

    pub(crate) fn typed(self, row: RowKind, path: &TreePath, frame_type: &FrameType) -> Key {
        let mut key = self.at(row, path);
        key.extend_from_slice(frame_type.as_str().as_bytes());
        key.into()
    }

    /// Returns the prefix of the rows of a run's frames. After it, a key continues like that of the frame's own row
    /// after its letter.
    pub(crate) fn made_in(self, run: RunId) -> Vec<u8> {
        let mut key = self.start(RowKind::OfRun);
        key.extend_from_slice(run.as_bytes());
        key
    }

    pub(crate) fn of_run(self, run: RunId, path: &TreePath, index: u64) -> Key {
        let mut key = self.made_in(run);
        key.extend_from_slice(path.as_bytes());
        key.push(0);
        key.extend_from_slice(&index.to_be_bytes());
        key.into()
    }

    /// Returns the key of a row about one digest, or about two.
    pub(crate) fn digests(self, row: RowKind, first: &Digest, second: Option<&Digest>) -> Key {
        let mut key = self.start(row);
        key.extend_from_slice(first.as_bytes());
        if let Some(second) = second {
            key.extend_from_slice(second.as_bytes());
        }
        key.into()
    }
}

/// Splits a key of a kind with paths into its path and the rest.
pub(crate) fn split_path(key: &[u8]) -> Option<(TreePath, &[u8])> {
    let rest = key.get(17..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    Some((TreePath::new(&rest[..end]).ok()?, &rest[end + 1..]))
}
