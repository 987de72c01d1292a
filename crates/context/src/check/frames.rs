//! Checking frames, their contents, sets, heads and indices.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use piton_core::Digest;
use piton_store::port::{Entry, Key};

use super::{DamageKind, Validation};
use crate::{
    Context, Error,
    frame::{Frame, FrameId, FrameSet, Head, leaf},
    stored::keys::{Row, split_path},
    tree::TreePath,
    word::{AgentId, FrameType},
};

/// A frame that was read, as far as other rows refer to it.
struct Known {
    path: TreePath,
    index: u64,
    frame_type: FrameType,
    agent_id: AgentId,
    /// When it was made, or became the head again.
    recency: u64,
}

pub(super) struct FrameCheck<'a> {
    context: &'a Context,
    frames: BTreeMap<FrameId, Known>,
    leaves: BTreeMap<TreePath, Vec<Digest>>,
    /// The keys that the indices must have, and no others.
    expected: BTreeSet<Key>,
    newest: u64,
}

impl<'a> FrameCheck<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self {
            context,
            frames: BTreeMap::new(),
            leaves: BTreeMap::new(),
            expected: BTreeSet::new(),
            newest: 0,
        }
    }

    pub(super) async fn run(mut self, found: &mut Validation) -> Result<(), Error> {
        let mut after: Option<Key> = None;
        loop {
            let prefix = self.context.keys.all(Row::Frame);
            let (rows, more) = self.context.page(&prefix, after.as_deref()).await?;
            for row in &rows {
                found.frames += 1;
                self.frame(row, found).await?;
            }
            after = rows.last().map(|row| Key::clone(&row.key));
            if !more {
                break;
            }
        }
        self.moves(found).await?;
        self.sets(found).await?;
        self.heads(found).await?;
        self.indices(found).await?;
        self.next_append(found).await
    }

    async fn frame(&mut self, row: &Entry, found: &mut Validation) -> Result<(), Error> {
        let Some((path, _)) = split_path(&row.key) else {
            found.add(DamageKind::Frame, "a frame", "its key is cut");
            return Ok(());
        };
        let leaves = self.leaves.entry(path.clone()).or_default();
        let place = leaves.len() as u64;
        let Some((frame, inline)) = found.absorb(DamageKind::Frame, Frame::decode(&row.value))?
        else {
            // Its place is taken, so that those after it are judged by their own.
            leaves.push(Digest::from_bytes([0; 32]));
            return Ok(());
        };
        leaves.push(leaf(frame.id, &frame.header()));
        if frame.path != path
            || frame.index != place
            || row.key != self.context.keys.numbered(Row::Frame, &path, frame.index)
        {
            let what = format!("the frame {}", frame.id);
            found.add(DamageKind::Frame, what, "it does not stand at its path and place");
        }
        let content = self.context.content_from(&frame, inline).await;
        found.absorb(DamageKind::Content, content)?;
        let (keys, id) = (self.context.keys, frame.id.digest());
        self.expected.insert(keys.digests(Row::Place, &id, None));
        self.expected.insert(keys.digests(Row::Basis, &frame.basis.digest(), Some(&id)));
        for part in frame.basis.frames() {
            self.expected.insert(keys.digests(Row::Dependent, &part.digest(), Some(&id)));
        }
        let run = frame.metadata.run();
        self.expected.extend(run.map(|run| keys.of_run(run, &frame.path, frame.index)));
        self.newest = self.newest.max(frame.sequence);
        let known = Known {
            path,
            index: frame.index,
            frame_type: frame.frame_type,
            agent_id: frame.agent_id,
            recency: frame.sequence,
        };
        if self.frames.insert(frame.id, known).is_some() {
            found.add(DamageKind::Frame, format!("the frame {}", frame.id), "it is there twice");
        }
        Ok(())
    }

    async fn sets(&self, found: &mut Validation) -> Result<(), Error> {
        let mut rows = BTreeMap::new();
        self.context
            .each_row(Row::Set, |row| {
                if let Some((path, _)) = split_path(&row.key) {
                    rows.insert(path, FrameSet::decode(&row.value));
                }
            })
            .await?;
        for (path, leaves) in &self.leaves {
            if rows.remove(path).flatten() != Some(FrameSet::of(leaves)) {
                let what = format!("the set of frames of {path}");
                found.add(DamageKind::Set, what, "it is not the set of the frames that are there");
            }
        }
        for path in rows.keys() {
            found.add(
                DamageKind::Set,
                format!("the set of frames of {path}"),
                "there are no frames",
            );
        }
        Ok(())
    }

    /// Every path and type that has frames has a head: the one of them that was made or repeated last.
    async fn heads(&mut self, found: &mut Validation) -> Result<(), Error> {
        let mut newest: BTreeMap<(&TreePath, &FrameType), (u64, FrameId)> = BTreeMap::new();
        for (id, known) in &self.frames {
            let last = newest.entry((&known.path, &known.frame_type)).or_insert((0, *id));
            *last = (*last).max((known.recency, *id));
        }
        let mut expected: BTreeMap<Key, Vec<u8>> = BTreeMap::new();
        for ((path, frame_type), (sequence, id)) in newest {
            let key = self.context.keys.typed(Row::Head, path, frame_type);
            let frame = self.context.frame_at(path, self.frames[&id].index).await?;
            let head = Head {
                frame: id,
                index: frame.index,
                sequence,
                frame_type: frame.frame_type,
                agent_id: self.frames[&id].agent_id.clone(),
                kind: frame.basis.kind(),
            };
            expected.insert(key, head.encode());
        }
        let mut rows = Vec::new();
        self.context.each_row(Row::Head, |row| rows.push(row)).await?;
        found.heads = rows.len() as u64;
        for row in rows {
            let what = head_name(&row.key);
            match expected.remove(&row.key) {
                None => found.add(DamageKind::Head, what, "there is no such frame"),
                Some(value) if value != row.value => {
                    found.add(DamageKind::Head, what, "it is not the newest frame");
                }
                Some(_) => {}
            }
        }
        for key in expected.keys() {
            found.add(DamageKind::Head, head_name(key), "it is missing");
        }
        Ok(())
    }

    async fn indices(&self, found: &mut Validation) -> Result<(), Error> {
        let mut there = BTreeSet::new();
        for kind in [Row::Place, Row::Basis, Row::Dependent, Row::OfRun] {
            let mut wrong = Vec::new();
            self.context
                .each_row(kind, |row| {
                    if kind == Row::Place && !self.is_place(&row) {
                        wrong.push(Key::clone(&row.key));
                    }
                    there.insert(row.key);
                })
                .await?;
            for key in wrong {
                found.add(DamageKind::Index, name(&key), "it leads to another place");
            }
        }
        let all_listed = self.context.row(&self.context.keys.only(Row::AllListed)).await?.is_some();
        let may_be_missing = |key: &Key| key[16] == Row::OfRun as u8 && !all_listed;
        for key in self.expected.difference(&there).filter(|key| !may_be_missing(key)) {
            found.add(DamageKind::Index, name(key), "it is missing");
        }
        for key in there.difference(&self.expected) {
            found.add(DamageKind::Index, name(key), "no frame has it");
        }
        Ok(())
    }

    fn is_place(&self, row: &Entry) -> bool {
        let id = row.key[17..].try_into().map(|id| FrameId::new(Digest::from_bytes(id)));
        let known = id.ok().and_then(|id| self.frames.get(&id));
        known.is_none_or(|known| {
            let mut value = known.index.to_be_bytes().to_vec();
            value.extend_from_slice(known.path.as_bytes());
            value == row.value
        })
    }

    /// Takes in when frames became heads again.
    async fn moves(&mut self, found: &mut Validation) -> Result<(), Error> {
        let places: BTreeMap<(TreePath, u64), FrameId> = self
            .frames
            .iter()
            .map(|(id, known)| ((known.path.clone(), known.index), *id))
            .collect();
        let mut rows = Vec::new();
        self.context.each_row(Row::Moved, |row| rows.push(row)).await?;
        for row in rows {
            let frame = split_path(&row.key).and_then(|(path, place)| {
                let place = u64::from_be_bytes(place.try_into().ok()?);
                places.get(&(path, place))
            });
            let number = row.value.as_slice().try_into().map(u64::from_be_bytes);
            let known = frame.and_then(|id| self.frames.get_mut(id));
            match (known, number) {
                (Some(known), Ok(number)) if number > known.recency => {
                    known.recency = number;
                    self.newest = self.newest.max(number);
                }
                _ => {
                    let what = "when a frame became the head again";
                    found.add(DamageKind::Sequence, what, "it fits no frame");
                }
            }
        }
        Ok(())
    }

    async fn next_append(&mut self, found: &mut Validation) -> Result<(), Error> {
        let next = self.context.row(&self.context.keys.only(Row::Sequence)).await?;
        let next = match next {
            None => Some(1),
            Some(row) => row.value.as_slice().try_into().map(u64::from_be_bytes).ok(),
        };
        if next != Some(self.newest + 1) {
            let detail = format!("the newest append has number {}", self.newest);
            found.add(DamageKind::Sequence, "the number of the next append", detail);
        }
        Ok(())
    }
}

/// What a head is called in a message.
fn head_name(key: &[u8]) -> String {
    match split_path(key) {
        Some((path, frame_type)) => {
            format!("the {} head of {path}", String::from_utf8_lossy(frame_type))
        }
        None => "a head".to_owned(),
    }
}

/// What a key of an index is called in a message.
fn name(key: &[u8]) -> String {
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
