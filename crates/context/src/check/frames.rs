//! Checks frames, their contents, sets, heads and indices, and the notes about them.
//!
//! Frames, and the rows that say when they became heads again, are the source of truth. Every other row is rebuilt from
//! them here and compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use piton_core::Digest;
use piton_store::port::{Key, TableEntry};

use super::damage::Flaws;
use super::{Damage, DamageKind, Validation};
use crate::frame::{Frame, FrameHead, FrameId, FrameSet, LOST, leaf, lost_leaf};
use crate::history::{TOUCHED_EVERYWHERE, old_path, read_note};
use crate::rows::{RowKind, split_path};
use crate::synthesis::{damaged_mark, is_mark};
use crate::tree::TreePath;
use crate::word::FrameType;
use crate::{Context, Error};

/// The parts of a frame that other rows refer to.
struct KnownFrame {
    path: TreePath,
    /// The head that it was when it was made.
    head: FrameHead,
    /// Number of the append that made it, or that last made it the head again.
    recency: u64,
}

impl KnownFrame {
    /// Returns the key of the row that says when it became the head again.
    fn moved_key(&self, context: &Context) -> Key {
        context.keys.numbered(RowKind::Moved, &self.path, self.head.index)
    }

    /// Returns the path and type that it is or was the head of.
    fn place(&self) -> (TreePath, FrameType) {
        (self.path.clone(), self.head.frame_type.clone())
    }
}

/// Content of an index of a path.
enum PathSlot {
    /// A frame with this leaf.
    Frame(Digest),
    /// A place that a repair took out of use.
    Lost(TableEntry),
    /// A row that is not a valid frame.
    Damaged(TableEntry, Damage),
}

pub(super) struct FrameCheck<'a> {
    context: &'a Context,
    frames: BTreeMap<FrameId, KnownFrame>,
    places: BTreeMap<TreePath, BTreeMap<u64, PathSlot>>,
    /// The rows that should exist according to the frames, by the letters of their kinds.
    expected: BTreeMap<u8, BTreeMap<Key, Vec<u8>>>,
    flaws: Flaws,
}

impl<'a> FrameCheck<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self {
            context,
            frames: BTreeMap::new(),
            places: BTreeMap::new(),
            expected: BTreeMap::new(),
            flaws: Flaws::default(),
        }
    }

    /// Checks everything, counts it in `found`, and returns the flaws.
    pub(super) async fn run(mut self, found: &mut Validation) -> Result<Flaws, Error> {
        let prefix = self.context.keys.all(RowKind::Frame);
        let mut pages = self.context.pages(&prefix);
        while let Some(rows) = pages.next().await? {
            for row in rows {
                found.frames += 1;
                self.frame(row).await?;
            }
        }
        let taken = self.places();
        self.recency_and_heads(found).await?;
        self.derived(RowKind::Set, DamageKind::Set, set_name, SET).await?;
        self.derived(RowKind::Head, DamageKind::Head, head_name, HEAD).await?;
        self.indices(&taken).await?;
        self.notes().await?;
        Ok(self.flaws)
    }

    async fn frame(&mut self, row: TableEntry) -> Result<(), Error> {
        let place = split_path(&row.key)
            .and_then(|(path, place)| Some((path, u64::from_be_bytes(place.try_into().ok()?))));
        let Some((path, index)) = place else {
            let damage = Damage::new(DamageKind::Frame, "a frame", "its key is cut");
            self.flaws.take_out(row, None, damage);
            return Ok(());
        };
        let place = if row.value == LOST {
            PathSlot::Lost(row)
        } else {
            match self.intact(&path, index, &row).await? {
                Ok(leaf) => PathSlot::Frame(leaf),
                Err(damage) => PathSlot::Damaged(row, damage),
            }
        };
        self.places.entry(path).or_default().insert(index, place);
        Ok(())
    }

    /// Records the frame in a row and returns its leaf, or the damage.
    async fn intact(
        &mut self,
        path: &TreePath,
        index: u64,
        row: &TableEntry,
    ) -> Result<Result<Digest, Damage>, Error> {
        let what = || frame_name(path, index);
        let damaged = |detail: String| Ok(Err(Damage::new(DamageKind::Frame, what(), detail)));
        let (frame, inline) = match Frame::decode(&row.value) {
            Ok(frame) => frame,
            Err(Error::Integrity { detail, .. }) => return damaged(detail),
            Err(error) => return Err(error),
        };
        // The id does not cover the index, so a valid row under the wrong key must be detected here.
        if frame.path != *path || frame.index != index {
            return damaged("it does not stand at its path and place".to_owned());
        }
        match self.context.content_from(&frame, inline).await {
            Ok(_) => {}
            Err(Error::Integrity { what, detail }) => {
                return Ok(Err(Damage::new(DamageKind::Content, what, detail)));
            }
            Err(Error::Store(error @ piton_store::Error::BlobCorrupt { .. })) => {
                let what = format!("the content of the frame {}", frame.id);
                return Ok(Err(Damage::new(DamageKind::Content, what, error.to_string())));
            }
            Err(error) => return Err(error),
        }
        if self.frames.contains_key(&frame.id) {
            return damaged("it is there twice".to_owned());
        }
        let leaf = leaf(frame.id, &frame.header());
        self.expect_indices(&frame);
        let head = FrameHead {
            frame: frame.id,
            index,
            sequence: frame.sequence,
            kind: frame.basis.kind(),
            frame_type: frame.frame_type,
            agent_id: frame.agent_id,
        };
        let known = KnownFrame { path: frame.path, recency: head.sequence, head };
        self.frames.insert(frame.id, known);
        Ok(Ok(leaf))
    }

    fn expect(&mut self, row: RowKind, key: Key, value: Vec<u8>) {
        self.expected.entry(row as u8).or_default().insert(key, value);
    }

    fn expect_indices(&mut self, frame: &Frame) {
        let (keys, id) = (self.context.keys, frame.id.digest());
        let mut place = frame.index.to_be_bytes().to_vec();
        place.extend_from_slice(frame.path.as_bytes());
        self.expect(RowKind::Place, keys.digests(RowKind::Place, &id, None), place);
        let basis = keys.digests(RowKind::Basis, &frame.basis.digest(), Some(&id));
        self.expect(RowKind::Basis, basis, Vec::new());
        for part in frame.basis.frames() {
            let dependent = keys.digests(RowKind::Dependent, &part.digest(), Some(&id));
            self.expect(RowKind::Dependent, dependent, Vec::new());
        }
        if let Some(run) = frame.metadata.run() {
            self.expect(RowKind::OfRun, keys.of_run(run, &frame.path, frame.index), Vec::new());
        }
    }

    /// Settles the content of each index, and with it the sets. Returns the indices whose rows are not frames.
    fn places(&mut self) -> BTreeSet<(TreePath, u64)> {
        let mut taken = BTreeSet::new();
        for (path, mut places) in std::mem::take(&mut self.places) {
            let is_frame = |(_, place): &(&u64, &PathSlot)| matches!(place, PathSlot::Frame(_));
            let last = places.iter().rev().find(is_frame).map(|(index, _)| *index);
            let mut set = FrameSet::default();
            // Every index up to the last frame needs a leaf, because the indices of the frames behind it must not
            // shift.
            for index in 0..last.map_or(0, |last| last + 1) {
                let key = self.context.keys.numbered(RowKind::Frame, &path, index);
                match places.remove(&index) {
                    Some(PathSlot::Frame(leaf)) => {
                        set.add(leaf);
                        continue;
                    }
                    Some(PathSlot::Lost(_)) => {}
                    Some(PathSlot::Damaged(row, damage)) => {
                        taken.insert((path.clone(), index));
                        self.flaws.take_out(row, Some(LOST.to_vec()), damage);
                    }
                    None => {
                        let what = frame_name(&path, index);
                        let damage = Damage::new(DamageKind::Frame, what, "it is missing");
                        self.flaws.rebuild(&key, None, Some(LOST.to_vec()), damage);
                    }
                }
                set.add(lost_leaf());
            }
            // No frame follows these, so their indices can be used again.
            for (index, place) in places {
                match place {
                    PathSlot::Damaged(row, damage) => {
                        taken.insert((path.clone(), index));
                        self.flaws.take_out(row, None, damage);
                    }
                    PathSlot::Lost(row) => {
                        let what = frame_name(&path, index);
                        let damage = Damage::new(DamageKind::Frame, what, "none follows it");
                        self.flaws.rebuild(&Key::clone(&row.key), Some(row), None, damage);
                    }
                    PathSlot::Frame(_) => unreachable!("none stands behind the last"),
                }
            }
            if last.is_some() {
                let key = self.context.keys.at(RowKind::Set, &path).into();
                self.expect(RowKind::Set, key, set.encode());
            }
        }
        taken
    }

    /// Determines when each frame became the head, the heads themselves, and the number of the next append.
    ///
    /// The number of a repeated append is in two rows: the one of the frame and, until another frame takes its place,
    /// the head. Either of the two may be damaged, and so may the number of the next append.
    async fn recency_and_heads(&mut self, found: &mut Validation) -> Result<(), Error> {
        let context = self.context;
        let heads = context.rows(&context.keys.all(RowKind::Head)).await?;
        let mut moves = self.rows_by_key(RowKind::Moved).await?;
        found.heads = heads.len() as u64;
        let heads: Vec<FrameHead> = heads.iter().filter_map(|row| self.plausible(row)).collect();
        let next_key = context.keys.only(RowKind::Sequence);
        let next = context.row(&next_key).await?;
        let number =
            |row: &TableEntry| row.value.as_slice().try_into().map(u64::from_be_bytes).ok();
        // A number that both rows agree on can be trusted, even if the number of the next append is damaged.
        let twice_said = heads.iter().filter(|head| {
            let key = self.frames[&head.frame].moved_key(context);
            moves.get(&key).and_then(number) == Some(head.sequence)
        });
        let made = self.frames.values().map(|known| known.head.sequence);
        let newest = made.chain(twice_said.map(|head| head.sequence)).max().unwrap_or(0);
        // The recorded next number bounds all others, but only if it is above everything that is certain.
        let limit = next.as_ref().and_then(number).filter(|next| *next > newest);
        let is_possible = |number: u64| limit.is_none_or(|limit| number < limit);

        let mut unused = moves.clone();
        for known in self.frames.values_mut() {
            let key = known.moved_key(context);
            let Some(again) = moves.get(&key).and_then(number) else { continue };
            // A frame cannot become the head again before it was made, nor with a number that was never given out.
            if again > known.head.sequence && is_possible(again) {
                known.recency = again;
                unused.remove(&key);
            }
        }
        let places: BTreeSet<Key> =
            self.frames.values().map(|known| known.moved_key(context)).collect();
        for (key, row) in unused {
            let damage = Damage::new(DamageKind::Sequence, MOVE, "it fits no frame");
            // For an existing frame the row may hold the only record of a number, so preserve it; otherwise it means
            // nothing.
            if places.contains(&key) {
                self.flaws.take_out(row, None, damage);
            } else {
                self.flaws.rebuild(&key, Some(row), None, damage);
            }
        }
        let mut newest: BTreeMap<(TreePath, FrameType), (u64, FrameId)> = BTreeMap::new();
        for (id, known) in &self.frames {
            let last = newest.entry(known.place()).or_insert((0, *id));
            *last = (*last).max((known.recency, *id));
        }
        for head in heads {
            let known = self.frames.get_mut(&head.frame).expect("it is one of a known frame");
            let place = known.place();
            // The head is newer than every frame row says: the row of the repeated append is lost, so restore it from
            // the head.
            let (recency, last) = newest[&place];
            if last != head.frame && head.sequence > recency && is_possible(head.sequence) {
                known.recency = head.sequence;
                newest.insert(place, (head.sequence, head.frame));
                self.restore_move(&head, &mut moves);
            }
        }
        for ((path, frame_type), (sequence, id)) in newest {
            let head = FrameHead { sequence, ..self.frames[&id].head.clone() };
            let key = context.keys.typed(RowKind::Head, &path, &frame_type);
            self.expect(RowKind::Head, key, head.encode());
        }
        let newest = self.frames.values().map(|known| known.recency).max().unwrap_or(0);
        if next.as_ref().map_or(Some(1), number) != Some(newest + 1) {
            let detail = format!("the newest append has number {newest}");
            let what = "the number of the next append";
            let damage = Damage::new(DamageKind::Sequence, what, detail);
            self.flaws.rebuild(&next_key, next, Some((newest + 1).to_be_bytes().into()), damage);
        }
        Ok(())
    }

    /// Returns the head in a row, if it can be the head of its path and type.
    fn plausible(&self, row: &TableEntry) -> Option<FrameHead> {
        let head = FrameHead::decode(&row.value).ok()?;
        let known = self.frames.get(&head.frame)?;
        let key = self.context.keys.typed(RowKind::Head, &known.path, &known.head.frame_type);
        (key == row.key && known.head.index == head.index).then_some(head)
    }

    /// Restores the row that should say when a frame became the head again, from the head.
    fn restore_move(&mut self, head: &FrameHead, moves: &mut BTreeMap<Key, TableEntry>) {
        let key = self.frames[&head.frame].moved_key(self.context);
        let value = head.sequence.to_be_bytes().to_vec();
        let damage = Damage::new(DamageKind::Sequence, MOVE, "the head says otherwise");
        self.flaws.rebuild(&key, moves.remove(&key), Some(value), damage);
    }

    async fn rows_by_key(&self, row: RowKind) -> Result<BTreeMap<Key, TableEntry>, Error> {
        let rows = self.context.rows(&self.context.keys.all(row)).await?;
        Ok(rows.into_iter().map(|row| (Key::clone(&row.key), row)).collect())
    }

    /// Compares the rows of a kind with those that are expected from the frames.
    async fn derived(
        &mut self,
        row: RowKind,
        kind: DamageKind,
        name: fn(&[u8]) -> String,
        [extra, other, missing]: [&str; 3],
    ) -> Result<(), Error> {
        let mut there = self.rows_by_key(row).await?;
        for (key, value) in self.expected.remove(&(row as u8)).unwrap_or_default() {
            let found = there.remove(&key);
            let detail = match &found {
                Some(found) if found.value == value => continue,
                Some(_) => other,
                None => missing,
            };
            let damage = Damage::new(kind, name(&key), detail);
            self.flaws.rebuild(&key, found, Some(value), damage);
        }
        for (key, found) in there {
            let damage = Damage::new(kind, name(&key), extra);
            self.flaws.rebuild(&key, Some(found), None, damage);
        }
        Ok(())
    }

    async fn indices(&mut self, taken: &BTreeSet<(TreePath, u64)>) -> Result<(), Error> {
        for row in [RowKind::Place, RowKind::Basis, RowKind::Dependent] {
            self.derived(row, DamageKind::Index, index_name, INDEX).await?;
        }
        // A frame that vanished without a trace is still known from its place.
        let places = self.context.keys.all(RowKind::Place);
        for (key, flaw) in &mut self.flaws.0 {
            let (true, None, Some(row)) = (key.starts_with(&places), &flaw.value, &flaw.found)
            else {
                continue;
            };
            let Some((id, path, index)) = place_of(row) else { continue };
            if !taken.contains(&(path.clone(), index)) {
                let what = format!("the frame {id} of {path}");
                flaw.damage = Damage::new(DamageKind::Frame, what, "it is missing");
                // The place is the last evidence of the frame.
                flaw.is_kept = true;
            }
        }
        let all_listed =
            self.context.row(&self.context.keys.only(RowKind::AllListed)).await?.is_some();
        self.derived(RowKind::OfRun, DamageKind::Index, index_name, INDEX).await?;
        // Until the project is marked as listed, missing entries are normal; wrong ones are still flaws.
        if !all_listed {
            let runs = self.context.keys.all(RowKind::OfRun);
            self.flaws.0.retain(|key, flaw| !key.starts_with(&runs) || flaw.found.is_some());
        }
        Ok(())
    }

    /// Checks the marks of frames, and the notes about directories and renames.
    async fn notes(&mut self) -> Result<(), Error> {
        let mut rows = Vec::new();
        for kind in [
            RowKind::Invalid,
            RowKind::Touched,
            RowKind::ToAdopt,
            RowKind::Renamed,
            RowKind::MovedTo,
            RowKind::Candidate,
        ] {
            self.context.each_row(kind, |row| rows.push((kind, row))).await?;
        }
        let keys = self.context.keys;
        let mark =
            |known: &KnownFrame| keys.typed(RowKind::Invalid, &known.path, &known.head.frame_type);
        let heads: BTreeSet<Key> = self.frames.values().map(mark).collect();
        for (kind, row) in rows {
            let at = split_path(&row.key).map(|(path, _)| path).unwrap_or_default();
            let (what, is_sound, value) = match kind {
                RowKind::Invalid => {
                    let has_head = heads.contains(&row.key);
                    // An unreadable mark is replaced by a readable one: regenerating needlessly is safer than trusting
                    // a frame.
                    let value = has_head.then(damaged_mark);
                    ("the mark of a frame", has_head && is_mark(&row.value), value)
                }
                RowKind::Touched => {
                    let is_sound =
                        row.value.is_empty() || (at.is_root() && row.value == TOUCHED_EVERYWHERE);
                    // The same for changes: if the note of the root is damaged, assume that everything was touched.
                    let everywhere = if at.is_root() { TOUCHED_EVERYWHERE } else { &[] };
                    ("the note about changes", is_sound, Some(everywhere.to_vec()))
                }
                RowKind::ToAdopt => ("the note about a rename", read_note(&row).is_ok(), None),
                _ => ("the other path of a rename", old_path(&row.value).is_ok(), None),
            };
            if !is_sound {
                let what = format!("{what} of {at}");
                let damage = Damage::new(DamageKind::Note, what, "it cannot be read");
                self.flaws.take_out(row, value, damage);
            }
        }
        Ok(())
    }
}

/// Name in messages of the row that says when a frame became the head again.
const MOVE: &str = "when a frame became the head again";

/// Details for a row that should not exist, one with the wrong value, and one that is missing.
const SET: [&str; 3] =
    ["there are no frames", "it is not the set of the frames that are there", "it is missing"];
const HEAD: [&str; 3] = ["there is no such frame", "it is not the newest frame", "it is missing"];
const INDEX: [&str; 3] = ["no frame has it", "it leads to another place", "it is missing"];

/// Decodes the frame, path and index of a place row.
pub(super) fn place_of(row: &TableEntry) -> Option<(FrameId, TreePath, u64)> {
    let id = row.key.get(17..)?.try_into().map(Digest::from_bytes).ok()?;
    let (index, path) = row.value.split_first_chunk()?;
    Some((FrameId::new(id), TreePath::new(path).ok()?, u64::from_be_bytes(*index)))
}

/// Returns the name of a frame in messages.
pub(super) fn frame_name(path: &TreePath, index: u64) -> String {
    format!("the frame {index} of {path}")
}

fn set_name(key: &[u8]) -> String {
    match split_path(key) {
        Some((path, _)) => format!("the set of frames of {path}"),
        None => "a set of frames".to_owned(),
    }
}

/// Returns the name of a head in messages.
fn head_name(key: &[u8]) -> String {
    match split_path(key) {
        Some((path, frame_type)) => {
            format!("the {} head of {path}", String::from_utf8_lossy(frame_type))
        }
        None => "a head".to_owned(),
    }
}

/// Returns the name of an index entry in messages.
fn index_name(key: &[u8]) -> String {
    let kind = match key.get(16) {
        Some(b'i') => "place",
        Some(b'b') => "basis",
        Some(b'u') => "run",
        _ => "dependent",
    };
    let digits = key[17..].iter().take(6).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    format!("the {kind} entry {digits}…")
}
