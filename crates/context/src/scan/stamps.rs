//! What is remembered from the last scan, as bytes that can be kept and read back.
//!
//! It can always be made again by reading every file. So a text that cannot be understood, of another version or
//! damaged, is simply not there.
//!
//! *Invariants*: reading back what was written gives the same tree. Every length is checked before it is used.

use std::sync::Arc;

use piton_core::{Digest, FileBytes};

use crate::tree::{Directory, Entry, File, Name, Node, Stamp, Symlink, Time, Totals, TreeNodeId};

/// The first bytes, with the version of what follows.
const MAGIC: &[u8; 8] = b"pitonst1";

/// How deep directories may nest: what the longest path allows.
const DEPTH_MAX: usize = crate::bounds::PATH_BYTES_MAX / 2 + 1;

const FILE: u8 = 0;
const EXECUTABLE: u8 = 1;
const SYMLINK: u8 = 2;
const DIRECTORY: u8 = 3;

/// The last scan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    /// Its tree.
    pub(crate) root: Option<Arc<Directory>>,
    /// When it began.
    pub(crate) began: Time,
    /// Whether every file is to be read again, whatever its stamp.
    pub(crate) distrust: bool,
}

impl Remembered {
    /// Whether a file with the stamp `now` has the content that it had when it had the stamp `then`.
    pub(crate) fn trusts(&self, then: &Stamp, now: &Stamp) -> bool {
        !self.distrust && then == now && !then.is_racy(self.began)
    }

    /// As bytes, the last 32 of which are the digest of those before.
    pub(crate) fn encode(root: &Directory, began: Time) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        time(&mut out, began);
        directory(&mut out, root);
        let digest = Digest::of(&FileBytes(&out));
        out.extend_from_slice(digest.as_bytes());
        out
    }

    /// From bytes; `None` if they are not what [`encode`](Self::encode) wrote.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, digest) = bytes.split_last_chunk::<32>()?;
        if Digest::of(&FileBytes(content)).as_bytes() != digest {
            return None;
        }
        let mut reader = Reader(content);
        if reader.take(MAGIC.len())? != MAGIC {
            return None;
        }
        let began = reader.time()?;
        let root = reader.directory(0)?;
        reader.0.is_empty().then_some(Self { root: Some(root), began, distrust: false })
    }
}

fn number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u16::try_from(bytes.len()).expect("names and targets have at most 4,096 bytes");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(bytes);
}

fn time(out: &mut Vec<u8>, time: Time) {
    out.extend_from_slice(&time.seconds.to_le_bytes());
    out.extend_from_slice(&time.nanoseconds.to_le_bytes());
}

fn stamp(out: &mut Vec<u8>, stamp: &Stamp) {
    number(out, stamp.size);
    time(out, stamp.modified);
    time(out, stamp.changed);
    number(out, stamp.inode);
}

fn directory(out: &mut Vec<u8>, from: &Directory) {
    out.extend_from_slice(from.id().as_bytes());
    let totals = from.totals();
    for count in [totals.files, totals.directories, totals.symlinks, totals.bytes] {
        number(out, count);
    }
    number(out, from.entries().len() as u64);
    for Entry { name, node } in from.entries() {
        match node {
            Node::File(file) => {
                out.push(if file.executable { EXECUTABLE } else { FILE });
                bytes(out, name.as_bytes());
                out.extend_from_slice(file.id.as_bytes());
                out.extend_from_slice(file.content.as_bytes());
                stamp(out, &file.stamp);
            }
            Node::Symlink(symlink) => {
                out.push(SYMLINK);
                bytes(out, name.as_bytes());
                out.extend_from_slice(symlink.id.as_bytes());
                bytes(out, &symlink.target);
                stamp(out, &symlink.stamp);
            }
            Node::Directory(below) => {
                out.push(DIRECTORY);
                bytes(out, name.as_bytes());
                directory(out, below);
            }
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.array().map(u16::from_le_bytes)?;
        self.take(length.into())
    }

    fn digest(&mut self) -> Option<Digest> {
        self.array().map(Digest::from_bytes)
    }

    fn time(&mut self) -> Option<Time> {
        let seconds = self.array().map(i64::from_le_bytes)?;
        Some(Time { seconds, nanoseconds: self.array().map(u32::from_le_bytes)? })
    }

    fn stamp(&mut self) -> Option<Stamp> {
        Some(Stamp {
            size: self.number()?,
            modified: self.time()?,
            changed: self.time()?,
            inode: self.number()?,
        })
    }

    fn directory(&mut self, depth: usize) -> Option<Arc<Directory>> {
        if depth > DEPTH_MAX {
            return None;
        }
        let id = self.digest().map(TreeNodeId::new)?;
        let totals = Totals {
            files: self.number()?,
            directories: self.number()?,
            symlinks: self.number()?,
            bytes: self.number()?,
        };
        let count = usize::try_from(self.number()?).ok()?;
        // Each entry takes more than one byte, so that a wrong count cannot ask for much memory.
        if count > self.0.len() {
            return None;
        }
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            entries.push(self.entry(depth)?);
        }
        Some(Arc::new(Directory::known(id, totals, entries)))
    }

    fn entry(&mut self, depth: usize) -> Option<Entry> {
        let [kind] = self.array()?;
        let name = Name::new(self.bytes()?).ok()?;
        let node = match kind {
            FILE | EXECUTABLE => Node::File(File {
                id: self.digest().map(TreeNodeId::new)?,
                content: self.digest()?,
                executable: kind == EXECUTABLE,
                stamp: self.stamp()?,
            }),
            SYMLINK => Node::Symlink(Symlink {
                id: self.digest().map(TreeNodeId::new)?,
                target: self.bytes()?.into(),
                stamp: self.stamp()?,
            }),
            DIRECTORY => Node::Directory(self.directory(depth + 1)?),
            _ => return None,
        };
        Some(Entry { name, node })
    }
}
