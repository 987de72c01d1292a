//! Encodes a tree and its stamps as bytes that can be stored and read back.
//!
//! The data can always be rebuilt by reading every file. Bytes that cannot be decoded, because they are damaged or of
//! another version, are therefore treated as absent.
//!
//! *Invariants*: decoding what was encoded gives the same tree. Every length is checked before it is used.

use std::sync::Arc;

use piton_core::{Digest, FileBytes};

use crate::tree::{
    Directory, FileStamp, Name, Symlink, Time, Totals, TreeEntry, TreeFile, TreeNode, TreeNodeId,
};

/// Magic bytes, including the format version.
const MAGIC: &[u8; 8] = b"pitonst1";

/// Maximum nesting depth of directories, as the longest path allows.
pub(super) const DEPTH_MAX: usize = crate::bounds::PATH_BYTES_MAX / 2 + 1;

const FILE: u8 = 0;
const EXECUTABLE: u8 = 1;
const SYMLINK: u8 = 2;
const DIRECTORY: u8 = 3;

/// Encodes a tree and the start time of its scan. The bytes are sealed with the digest that is returned.
pub(super) fn encode(root: &Directory, began: Time) -> (Vec<u8>, Digest) {
    let mut out = MAGIC.to_vec();
    time(&mut out, began);
    directory(&mut out, root);
    let digest = seal(&mut out);
    (out, digest)
}

/// Decodes the output of [`encode`]. Returns `None` for anything else.
pub(super) fn decode(bytes: &[u8]) -> Option<(Arc<Directory>, Time, Digest)> {
    let (content, digest) = unseal(bytes)?;
    let mut reader = Reader(content);
    if reader.take(MAGIC.len())? != MAGIC {
        return None;
    }
    let began = reader.time()?;
    let root = reader.directory(0)?;
    reader.0.is_empty().then_some((root, began, digest))
}

/// Appends the digest of the bytes so far.
pub(super) fn seal(out: &mut Vec<u8>) -> Digest {
    let digest = Digest::of(&FileBytes(out));
    out.extend_from_slice(digest.as_bytes());
    digest
}

/// Returns the sealed content and its digest, or `None` if it is damaged.
pub(super) fn unseal(bytes: &[u8]) -> Option<(&[u8], Digest)> {
    let (content, seal) = bytes.split_last_chunk::<32>()?;
    let digest = Digest::of(&FileBytes(content));
    (digest.as_bytes() == seal).then_some((content, digest))
}

pub(super) fn number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u16::try_from(bytes.len()).expect("names and targets have at most 4,096 bytes");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(bytes);
}

pub(super) fn time(out: &mut Vec<u8>, time: Time) {
    out.extend_from_slice(&time.seconds.to_le_bytes());
    out.extend_from_slice(&time.nanoseconds.to_le_bytes());
}

fn stamp(out: &mut Vec<u8>, stamp: &FileStamp) {
    number(out, stamp.size);
    time(out, stamp.modified);
    time(out, stamp.changed);
    number(out, stamp.inode);
}

/// Encodes the id and totals of a directory, and the number of its entries.
pub(super) fn header(out: &mut Vec<u8>, from: &Directory) {
    out.extend_from_slice(from.id().as_bytes());
    let totals = from.totals();
    for count in [totals.files, totals.directories, totals.symlinks, totals.bytes] {
        number(out, count);
    }
    number(out, from.entries().len() as u64);
}

fn directory(out: &mut Vec<u8>, from: &Directory) {
    header(out, from);
    for each in from.entries() {
        entry(out, each);
    }
}

pub(super) fn entry(out: &mut Vec<u8>, TreeEntry { name, node }: &TreeEntry) {
    match node {
        TreeNode::File(file) => {
            out.push(if file.executable { EXECUTABLE } else { FILE });
            bytes(out, name.as_bytes());
            out.extend_from_slice(file.id.as_bytes());
            out.extend_from_slice(file.content.as_bytes());
            stamp(out, &file.stamp);
        }
        TreeNode::Symlink(symlink) => {
            out.push(SYMLINK);
            bytes(out, name.as_bytes());
            out.extend_from_slice(symlink.id.as_bytes());
            bytes(out, &symlink.target);
            stamp(out, &symlink.stamp);
        }
        TreeNode::Directory(below) => {
            out.push(DIRECTORY);
            bytes(out, name.as_bytes());
            directory(out, below);
        }
    }
}

/// Reads values one after another from bytes. Every read returns `None` if too few bytes are left.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.array().map(u16::from_le_bytes)?;
        self.take(length.into())
    }

    pub(super) fn digest(&mut self) -> Option<Digest> {
        self.array().map(Digest::from_bytes)
    }

    pub(super) fn time(&mut self) -> Option<Time> {
        let seconds = self.array().map(i64::from_le_bytes)?;
        Some(Time { seconds, nanoseconds: self.array().map(u32::from_le_bytes)? })
    }

    fn stamp(&mut self) -> Option<FileStamp> {
        Some(FileStamp {
            size: self.number()?,
            modified: self.time()?,
            changed: self.time()?,
            inode: self.number()?,
        })
    }

    /// Decodes the output of [`header`], with the number of entries that follow.
    pub(super) fn header(&mut self) -> Option<(TreeNodeId, Totals, usize)> {
        let id = self.digest().map(TreeNodeId::new)?;
        let totals = Totals {
            files: self.number()?,
            directories: self.number()?,
            symlinks: self.number()?,
            bytes: self.number()?,
        };
        Some((id, totals, usize::try_from(self.number()?).ok()?))
    }

    fn directory(&mut self, depth: usize) -> Option<Arc<Directory>> {
        // Bounds the recursion, so that damaged bytes cannot overflow the stack.
        if depth > DEPTH_MAX {
            return None;
        }
        let (id, totals, count) = self.header()?;
        // Every entry takes more than one byte, so this keeps a wrong count from reserving much memory.
        if count > self.0.len() {
            return None;
        }
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let [kind] = self.array()?;
            entries.push(self.entry(kind, depth)?);
        }
        Some(Arc::new(Directory::known(id, totals, entries)))
    }

    /// Decodes the output of [`entry`] after its first byte, in a directory at `depth`.
    pub(super) fn entry(&mut self, kind: u8, depth: usize) -> Option<TreeEntry> {
        let name = Name::new(self.bytes()?).ok()?;
        let node = match kind {
            FILE | EXECUTABLE => TreeNode::File(TreeFile {
                id: self.digest().map(TreeNodeId::new)?,
                content: self.digest()?,
                executable: kind == EXECUTABLE,
                stamp: self.stamp()?,
            }),
            SYMLINK => TreeNode::Symlink(Symlink {
                id: self.digest().map(TreeNodeId::new)?,
                target: self.bytes()?.into(),
                stamp: self.stamp()?,
            }),
            DIRECTORY => TreeNode::Directory(self.directory(depth + 1)?),
            _ => return None,
        };
        Some(TreeEntry { name, node })
    }
}
