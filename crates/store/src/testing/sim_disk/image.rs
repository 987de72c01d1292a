//! The contents of a simulated disk: what is durable, what is only cached, and what a power cut leaves of it.
//!
//! The model is harsher than most file systems: of everything that was not synced, any subset may have reached the
//! medium. Data is torn at sector boundaries, lengths and names reach the medium independently, and a hole in a file
//! reads as zeros.

use std::collections::BTreeMap;
use std::time::Duration;

use piton_core::port::fixed::SeededEntropy;

/// Number of a file or directory.
pub(super) type Node = u64;

#[derive(Debug, Clone)]
pub(super) enum ImageWrite {
    Data { offset: usize, bytes: Vec<u8> },
    Length(usize),
}

#[derive(Debug, Clone, Default)]
pub(super) struct ImageFile {
    /// Contents of the medium.
    pub(super) durable: Vec<u8>,
    /// Contents as a reader sees them.
    pub(super) live: Vec<u8>,
    /// Writes that a sync would make durable.
    pub(super) pending: Vec<ImageWrite>,
    pub(super) written: Duration,
    pub(super) born: u64,
}

impl ImageFile {
    pub(super) fn write(&mut self, write: ImageWrite) {
        apply(&mut self.live, &write);
        self.pending.push(write);
    }

    pub(super) fn sync(&mut self) {
        for write in self.pending.drain(..) {
            apply(&mut self.durable, &write);
        }
    }

    /// Applies a failed sync: readers still see the bytes, and no later sync writes them.
    pub(super) fn fail_sync(&mut self) {
        self.pending.clear();
    }

    pub(super) fn evict(&mut self) {
        // Only what a failed sync dropped disappears: writes that are still pending stay in the cache.
        self.live = self.durable.clone();
        for write in &self.pending {
            apply(&mut self.live, write);
        }
    }

    /// Returns what a power cut leaves of the file.
    pub(super) fn after_power_cut(&self, luck: &SeededEntropy, sector: usize) -> Vec<u8> {
        let mut image = self.durable.clone();
        for write in &self.pending {
            match write {
                ImageWrite::Length(length) if coin(luck) => image.resize(*length, 0),
                ImageWrite::Length(_) => {}
                ImageWrite::Data { offset, bytes } => {
                    // Each sector of each write arrives or does not, independently of all others.
                    for (at, chunk) in sectors(*offset, bytes, sector) {
                        if coin(luck) {
                            apply(
                                &mut image,
                                &ImageWrite::Data { offset: at, bytes: chunk.to_vec() },
                            );
                        }
                    }
                }
            }
        }
        // The length is metadata of its own: the file may have grown less than the data that arrived, or more.
        let grown = image.len().max(self.live.len());
        if grown > self.durable.len() {
            image.resize(grown, 0);
            let kept = match below(luck, 4) {
                0 => self.durable.len(),
                1 | 2 => grown,
                // Somewhere in between, at a sector boundary.
                _ => {
                    let sectors = (grown / sector).saturating_sub(self.durable.len() / sector);
                    let extra = below(luck, sectors as u64 + 1);
                    let end = (self.durable.len() / sector) * sector
                        + usize::try_from(extra).unwrap() * sector;
                    end.clamp(self.durable.len(), grown)
                }
            };
            image.truncate(kept);
        }
        image
    }
}

fn apply(bytes: &mut Vec<u8>, write: &ImageWrite) {
    match write {
        ImageWrite::Length(length) => bytes.resize(*length, 0),
        ImageWrite::Data { offset, bytes: new } => {
            if bytes.len() < offset + new.len() {
                bytes.resize(offset + new.len(), 0);
            }
            bytes[*offset..offset + new.len()].copy_from_slice(new);
        }
    }
}

/// Splits a write into the sectors of the file that it touches.
fn sectors(offset: usize, bytes: &[u8], sector: usize) -> Vec<(usize, &[u8])> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = ((offset + at) / sector + 1) * sector - offset;
        let end = end.min(bytes.len());
        parts.push((offset + at, &bytes[at..end]));
        at = end;
    }
    parts
}

#[derive(Debug, Clone)]
pub(super) enum Naming {
    Link(String, Node),
    Unlink(String),
    Rename { from: String, to: String, node: Node },
}

#[derive(Debug, Clone, Default)]
pub(super) struct Dir {
    pub(super) durable: BTreeMap<String, Node>,
    pub(super) live: BTreeMap<String, Node>,
    pub(super) pending: Vec<Naming>,
}

impl Dir {
    pub(super) fn name(&mut self, naming: Naming) {
        apply_naming(&mut self.live, &naming);
        self.pending.push(naming);
    }

    pub(super) fn sync(&mut self) {
        for naming in self.pending.drain(..) {
            apply_naming(&mut self.durable, &naming);
        }
    }

    pub(super) fn after_power_cut(&self, luck: &SeededEntropy) -> BTreeMap<String, Node> {
        let mut names = self.durable.clone();
        // Changes of names arrive in any subset, too, but those that do arrive keep their order.
        for naming in &self.pending {
            if coin(luck) {
                apply_naming(&mut names, naming);
            }
        }
        names
    }
}

fn apply_naming(names: &mut BTreeMap<String, Node>, naming: &Naming) {
    match naming {
        Naming::Link(name, node) => {
            names.insert(name.clone(), *node);
        }
        Naming::Unlink(name) => {
            names.remove(name);
        }
        Naming::Rename { from, to, node } => {
            names.remove(from);
            names.insert(to.clone(), *node);
        }
    }
}

/// Flips a coin.
fn coin(luck: &SeededEntropy) -> bool {
    luck.next_u64() & 1 == 0
}

/// Returns a random number below `end`.
fn below(luck: &SeededEntropy, end: u64) -> u64 {
    luck.next_u64() % end.max(1)
}
