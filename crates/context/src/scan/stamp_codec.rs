//! Encodes a tree and its stamps as bytes that can be stored and read back: in full, or as the difference from an older
//! tree, which after an edit is a few directories instead of all.
//!
//! The data can always be rebuilt by reading every file. Bytes that cannot be decoded, because they are damaged or of
//! another version, are therefore treated as absent.
//!
//! *Invariants*: decoding what was encoded gives the same tree. Every length is checked before it is used. A difference
//! names the file that the older tree was read from and is valid only together with it; the newer tree shares every
//! unchanged part with the older one.

use std::sync::Arc;

use piton_core::{Digest, FileBytes};

use crate::rows::Bytes;
use crate::tree::{
    Directory, FileStamp, Name, Symlink, Time, Totals, TreeEntry, TreeFile, TreeNode, TreeNodeId,
};

/// Magic bytes of a whole tree, including the format version.
const MAGIC: &[u8; 8] = b"pitonst1";

/// Maximum nesting depth of directories, as the longest path allows.
const DEPTH_MAX: usize = crate::bounds::PATH_BYTES_MAX / 2 + 1;

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
    let mut reader = Bytes(content);
    if reader.take(MAGIC.len())? != MAGIC {
        return None;
    }
    let began = reader.time()?;
    let root = reader.directory(0)?;
    reader.0.is_empty().then_some((root, began, digest))
}

/// Appends the digest of the bytes so far.
fn seal(out: &mut Vec<u8>) -> Digest {
    let digest = Digest::of(&FileBytes(out));
    out.extend_from_slice(digest.as_bytes());
    digest
}

/// Returns the sealed content and its digest, or `None` if it is damaged.
fn unseal(bytes: &[u8]) -> Option<(&[u8], Digest)> {
    let (content, seal) = bytes.split_last_chunk::<32>()?;
    let digest = Digest::of(&FileBytes(content));
    (digest.as_bytes() == seal).then_some((content, digest))
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

fn stamp(out: &mut Vec<u8>, stamp: &FileStamp) {
    number(out, stamp.size);
    time(out, stamp.modified);
    time(out, stamp.changed);
    number(out, stamp.inode);
}

/// Encodes the id and totals of a directory, and the number of its entries.
fn header(out: &mut Vec<u8>, from: &Directory) {
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

fn entry(out: &mut Vec<u8>, TreeEntry { name, node }: &TreeEntry) {
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

/// Decodes the values of a stamp file. Unlike in the table, numbers have their least significant byte first, and lengths
/// are short.
impl<'a> Bytes<'a> {
    fn little_number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn short_bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.array().map(u16::from_le_bytes)?;
        self.take(length.into())
    }

    fn time(&mut self) -> Option<Time> {
        let seconds = self.array().map(i64::from_le_bytes)?;
        Some(Time { seconds, nanoseconds: self.array().map(u32::from_le_bytes)? })
    }

    fn stamp(&mut self) -> Option<FileStamp> {
        Some(FileStamp {
            size: self.little_number()?,
            modified: self.time()?,
            changed: self.time()?,
            inode: self.little_number()?,
        })
    }

    /// Decodes the output of [`header`], with the number of entries that follow.
    fn header(&mut self) -> Option<(TreeNodeId, Totals, usize)> {
        let id = self.digest().map(TreeNodeId::new)?;
        let totals = Totals {
            files: self.little_number()?,
            directories: self.little_number()?,
            symlinks: self.little_number()?,
            bytes: self.little_number()?,
        };
        Some((id, totals, usize::try_from(self.little_number()?).ok()?))
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
    fn entry(&mut self, kind: u8, depth: usize) -> Option<TreeEntry> {
        let name = Name::new(self.short_bytes()?).ok()?;
        let node = match kind {
            FILE | EXECUTABLE => TreeNode::File(TreeFile {
                id: self.digest().map(TreeNodeId::new)?,
                content: self.digest()?,
                executable: kind == EXECUTABLE,
                stamp: self.stamp()?,
            }),
            SYMLINK => TreeNode::Symlink(Symlink {
                id: self.digest().map(TreeNodeId::new)?,
                target: self.short_bytes()?.into(),
                stamp: self.stamp()?,
            }),
            DIRECTORY => TreeNode::Directory(self.directory(depth + 1)?),
            _ => return None,
        };
        Some(TreeEntry { name, node })
    }
}

/// Magic bytes of a difference, including the format version.
const SINCE_MAGIC: &[u8; 8] = b"pitonsc1";

/// Marks a run of consecutive entries of the older directory that are unchanged. The values are distinct from those above.
const KEPT: u8 = 16;
/// Marks a directory that is in both trees with different entries.
const CHANGED: u8 = 17;

/// Encodes and seals the parts of `root` that differ from `base`, the tree in the file with the digest `file`.
pub(super) fn encode_since(
    file: Digest,
    base: &Directory,
    root: &Directory,
    began: Time,
) -> Vec<u8> {
    let mut out = SINCE_MAGIC.to_vec();
    out.extend_from_slice(file.as_bytes());
    time(&mut out, began);
    changed_directory(&mut out, base, root);
    seal(&mut out);
    out
}

/// Decodes the newer tree. Returns `None` if [`encode_since`] did not write these bytes, or if they belong to another file.
pub(super) fn decode_since(
    text: &[u8],
    file: Digest,
    base: &Arc<Directory>,
) -> Option<(Arc<Directory>, Time)> {
    let (content, _) = unseal(text)?;
    let mut reader = Bytes(content);
    if reader.take(SINCE_MAGIC.len())? != SINCE_MAGIC || reader.digest()? != file {
        return None;
    }
    let began = reader.time()?;
    let root = read_changed_directory(&mut reader, base, 0)?;
    // Trailing bytes mean that something else wrote this.
    reader.0.is_empty().then_some((root, began))
}

fn changed_directory(out: &mut Vec<u8>, base: &Directory, now: &Directory) {
    header(out, now);
    let mut kept = 0..0;
    for each in now.entries() {
        let place = base.place(each.name.as_bytes());
        let before = place.map(|place| &base.entries()[place]);
        match (place, before, &each.node) {
            (Some(place), Some(before), _) if before.is(each) => {
                // Extend the current run if this entry directly follows it; otherwise write the run and begin a new
                // one.
                if kept.end != place {
                    keep(out, &kept);
                    kept = place..place;
                }
                kept.end += 1;
            }
            (
                _,
                Some(TreeEntry { node: TreeNode::Directory(before), .. }),
                TreeNode::Directory(below),
            ) => {
                // Anything else ends the run, because entries are decoded in order.
                keep(out, &std::mem::take(&mut kept));
                out.push(CHANGED);
                bytes(out, each.name.as_bytes());
                changed_directory(out, before, below);
            }
            _ => {
                keep(out, &std::mem::take(&mut kept));
                entry(out, each);
            }
        }
    }
    keep(out, &kept);
}

fn keep(out: &mut Vec<u8>, places: &std::ops::Range<usize>) {
    if places.is_empty() {
        return;
    }
    out.push(KEPT);
    number(out, places.start as u64);
    number(out, places.len() as u64);
}

fn read_changed_directory(
    reader: &mut Bytes<'_>,
    base: &Arc<Directory>,
    depth: usize,
) -> Option<Arc<Directory>> {
    if depth > DEPTH_MAX {
        return None;
    }
    let (id, totals, count) = reader.header()?;
    let mut entries = Vec::new();
    while entries.len() < count {
        match reader.array()? {
            [KEPT] => {
                let start = usize::try_from(reader.little_number()?).ok()?;
                let end = start.checked_add(usize::try_from(reader.little_number()?).ok()?)?;
                // `get` rejects a range outside the older directory instead of panicking.
                entries.extend_from_slice(base.entries().get(start..end)?);
            }
            [CHANGED] => {
                let name = Name::new(reader.short_bytes()?).ok()?;
                let TreeNode::Directory(before) = &base.entry(name.as_bytes())?.node else {
                    return None;
                };
                let below = read_changed_directory(reader, before, depth + 1)?;
                entries.push(TreeEntry { name, node: TreeNode::Directory(below) });
            }
            [kind] => entries.push(reader.entry(kind, depth)?),
        }
    }
    // A run may overshoot the count; such bytes are invalid.
    (entries.len() == count).then(|| Arc::new(Directory::known(id, totals, entries)))
}
