//! Encodes the difference between two trees as bytes: after an edit, a few directories instead of all.
//!
//! *Invariants*: the bytes name the file that the older tree was read from, and are valid only together with it.
//! Decoding them against the older tree gives the newer one, which shares every unchanged part with it.

use std::sync::Arc;

use piton_core::Digest;

use super::stamps::{DEPTH_MAX, Reader, bytes, entry, header, number, seal, time, unseal};
use crate::tree::{Directory, Name, Time, TreeEntry, TreeNode};

/// Magic bytes, including the format version.
const MAGIC: &[u8; 8] = b"pitonsc1";

/// Marks a run of consecutive entries of the older directory that are unchanged. The values are distinct from those of
/// [`super::stamps`].
const KEPT: u8 = 16;
/// Marks a directory that is in both trees with different entries.
const CHANGED: u8 = 17;

/// Encodes and seals the parts of `root` that differ from `base`, the tree in the file with the digest `file`.
pub(super) fn encode(file: Digest, base: &Directory, root: &Directory, began: Time) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(file.as_bytes());
    time(&mut out, began);
    directory(&mut out, base, root);
    seal(&mut out);
    out
}

/// Decodes the newer tree. Returns `None` if [`encode`] did not write these bytes, or if they belong to another file.
pub(super) fn decode(
    text: &[u8],
    file: Digest,
    base: &Arc<Directory>,
) -> Option<(Arc<Directory>, Time)> {
    let (content, _) = unseal(text)?;
    let mut reader = Reader(content);
    if reader.take(MAGIC.len())? != MAGIC || reader.digest()? != file {
        return None;
    }
    let began = reader.time()?;
    let root = read_directory(&mut reader, base, 0)?;
    // Trailing bytes mean that something else wrote this.
    reader.0.is_empty().then_some((root, began))
}

fn directory(out: &mut Vec<u8>, base: &Directory, now: &Directory) {
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
                directory(out, before, below);
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

fn read_directory(
    reader: &mut Reader<'_>,
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
                let start = usize::try_from(reader.number()?).ok()?;
                let end = start.checked_add(usize::try_from(reader.number()?).ok()?)?;
                // `get` rejects a range outside the older directory instead of panicking.
                entries.extend_from_slice(base.entries().get(start..end)?);
            }
            [CHANGED] => {
                let name = Name::new(reader.bytes()?).ok()?;
                let TreeNode::Directory(before) = &base.entry(name.as_bytes())?.node else {
                    return None;
                };
                let below = read_directory(reader, before, depth + 1)?;
                entries.push(TreeEntry { name, node: TreeNode::Directory(below) });
            }
            [kind] => entries.push(reader.entry(kind, depth)?),
        }
    }
    // A run may overshoot the count; such bytes are invalid.
    (entries.len() == count).then(|| Arc::new(Directory::known(id, totals, entries)))
}
