//! The authenticated set of a path's frames: a Merkle tree over them in the order of appending (RFC 6962).
//!
//! Adding a frame needs only the roots of the complete subtrees, so its cost is logarithmic in the size. A proof is the
//! list of siblings from a leaf to the root. Pure.

use piton_core::Digest;
use piton_store::port::TableEntry;
use serde::{Deserialize, Serialize};

use super::FrameId;
use crate::Error;
use crate::rows::{Bytes, put_number};
use crate::tree::{Preimage, TreePath};

/// The root digest of a set and the number of its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetRoot {
    pub root: Digest,
    pub count: u64,
}

/// A growing set: its size and the roots of its complete subtrees, largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameSet {
    count: u64,
    peaks: Vec<Digest>,
}

/// A proof that a frame is in a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Proof {
    /// Index of the frame in the set, from 0.
    pub index: u64,
    /// Number of frames in the set.
    pub count: u64,
    /// Digest of the frame's record.
    pub leaf: Digest,
    /// Siblings on the way to the root, lowest first.
    pub siblings: Vec<Digest>,
}

/// Computes the leaf of a frame from its id and the header of its row.
pub(crate) fn leaf(id: FrameId, header: &[u8]) -> Digest {
    let mut preimage = Preimage::new("frame_leaf");
    preimage.field(id.digest().as_bytes());
    preimage.field(header);
    preimage.finish()
}

/// Returns the leaf of an index whose frame a repair took out of use.
pub(crate) fn lost_leaf() -> Digest {
    Preimage::new("frame_lost").finish()
}

fn node(left: &Digest, right: &Digest) -> Digest {
    // Leaves, nodes and the empty set hash in separate domains, so that none can pass for another.
    let mut preimage = Preimage::new("frame_node");
    preimage.field(left.as_bytes());
    preimage.field(right.as_bytes());
    preimage.finish()
}

fn empty() -> Digest {
    Preimage::new("frame_set_empty").finish()
}

impl FrameSet {
    /// Returns the number of frames.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Adds a leaf.
    pub(crate) fn add(&mut self, leaf: Digest) {
        let mut whole = leaf;
        // Each trailing one bit of the count is a complete subtree that the new leaf merges into a larger one.
        for _ in 0..self.count.trailing_ones() {
            let left = self.peaks.pop().expect("there is a peak for each bit of the count");
            whole = node(&left, &whole);
        }
        self.peaks.push(whole);
        self.count += 1;
    }

    /// Returns the root digest and size.
    pub(crate) fn root(&self) -> SetRoot {
        // Fold from the smallest peak upwards: each larger peak is the left sibling of everything after it.
        let mut peaks = self.peaks.iter().rev();
        let last = peaks.next().copied().unwrap_or_else(empty);
        SetRoot { root: peaks.fold(last, |right, left| node(left, &right)), count: self.count }
    }

    /// Creates the set of these leaves.
    pub(crate) fn of(leaves: &[Digest]) -> Self {
        let mut set = Self::default();
        for leaf in leaves {
            set.add(*leaf);
        }
        set
    }

    /// Decodes the set from the row of `path`. Returns an empty set if there is no row.
    pub(crate) fn of_row(path: &TreePath, row: Option<&TableEntry>) -> Result<Self, Error> {
        let set = row.map_or_else(|| Some(Self::default()), |row| Self::decode(&row.value));
        set.ok_or_else(|| Error::integrity(phrase(path), "its row is cut"))
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 + 32 * self.peaks.len());
        put_number(&mut out, self.count);
        for peak in &self.peaks {
            out.extend_from_slice(peak.as_bytes());
        }
        out
    }

    pub(crate) fn decode(row: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(row);
        let count = bytes.number()?;
        let mut peaks = Vec::new();
        // The set has exactly one peak for each one bit of its count.
        for _ in 0..count.count_ones() {
            peaks.push(bytes.digest()?);
        }
        bytes.end(Self { count, peaks })
    }
}

impl Proof {
    /// Proves that the leaf at `index` is among `leaves`.
    pub(crate) fn make(leaves: &[Digest], index: usize) -> Self {
        let mut siblings = Vec::new();
        path(leaves, index, &mut siblings);
        Self { index: index as u64, count: leaves.len() as u64, leaf: leaves[index], siblings }
    }

    /// True if it proves that its leaf is in the set `root`.
    pub fn verify(&self, root: &SetRoot) -> bool {
        if self.count != root.count || self.index >= self.count {
            return false;
        }
        let mut siblings = self.siblings.iter();
        let found = climb(self.leaf, self.index, self.count, &mut siblings);
        // A proof with siblings left over is rejected, so that each member has exactly one valid proof.
        siblings.next().is_none() && found == Some(root.root)
    }
}

/// Returns the largest power of two below `count`.
fn split(count: u64) -> u64 {
    let half = count.next_power_of_two() / 2;
    half.max(1)
}

fn root_of(leaves: &[Digest]) -> Digest {
    FrameSet::of(leaves).root().root
}

fn path(leaves: &[Digest], index: usize, siblings: &mut Vec<Digest>) {
    if leaves.len() < 2 {
        return;
    }
    // The left subtree is always complete, and the right one takes the rest.
    let middle = usize::try_from(split(leaves.len() as u64)).expect("it is below a length");
    let (left, right) = leaves.split_at(middle);
    if index < middle {
        path(left, index, siblings);
        siblings.push(root_of(right));
    } else {
        path(right, index - middle, siblings);
        siblings.push(root_of(left));
    }
}

fn climb<'a>(
    leaf: Digest,
    index: u64,
    count: u64,
    siblings: &mut impl Iterator<Item = &'a Digest>,
) -> Option<Digest> {
    if count < 2 {
        return Some(leaf);
    }
    // The same descent as in `path`; the siblings come back in the order in which they were pushed, lowest first.
    let middle = split(count);
    if index < middle {
        let left = climb(leaf, index, middle, siblings)?;
        Some(node(&left, siblings.next()?))
    } else {
        let right = climb(leaf, index - middle, count - middle, siblings)?;
        Some(node(siblings.next()?, &right))
    }
}

/// Returns the name of a set in error messages.
pub(crate) fn phrase(path: &TreePath) -> String {
    format!("the set of frames of {path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: u8) -> Vec<Digest> {
        (0..count).map(|number| Digest::from_bytes([number; 32])).collect()
    }

    // shows in part: CT-026 (the part that membership is proved, and an altered proof fails)
    #[test]
    fn every_member_is_proved_and_no_altered_proof_is_taken() {
        for count in 1..40 {
            let leaves = leaves(count);
            let root = FrameSet::of(&leaves).root();
            for index in 0..leaves.len() {
                let proof = Proof::make(&leaves, index);
                assert!(proof.verify(&root), "{index} of {count}");
                let other = Digest::from_bytes([99; 32]);
                assert!(!Proof { leaf: other, ..proof.clone() }.verify(&root));
                assert!(!Proof { count: proof.count + 1, ..proof.clone() }.verify(&root));
                let place = (proof.index + 1) % proof.count;
                assert!(count == 1 || !Proof { index: place, ..proof.clone() }.verify(&root));
                for place in 0..proof.siblings.len() {
                    let mut altered = proof.clone();
                    altered.siblings[place] = other;
                    assert!(!altered.verify(&root));
                    altered.siblings.remove(place);
                    assert!(!altered.verify(&root));
                }
                let mut longer = proof.clone();
                longer.siblings.push(other);
                assert!(!longer.verify(&root));
            }
        }
    }

    #[test]
    fn a_set_reads_back_and_grows_as_if_it_was_made_at_once() {
        let leaves = leaves(33);
        let mut grown = FrameSet::default();
        for (count, leaf) in leaves.iter().enumerate() {
            assert_eq!(grown, FrameSet::of(&leaves[..count]));
            assert_eq!(FrameSet::decode(&grown.encode()), Some(grown.clone()));
            grown.add(*leaf);
        }
        assert_eq!(FrameSet::decode(&grown.encode()[1..]), None);
    }
}
