//! Carries frames along with renames.
//!
//! A frame never changes, and its path is part of its id. A renamed file therefore gets frames of its own, with the
//! content, type, agent and metadata of the old ones, and with the same basis expressed for the new path. They name the
//! frames that they were copied from, and those stay in place.
//!
//! *Invariants*: pending copies are noted before the tree with the new paths becomes current, and the notes are removed
//! after all copies are done. A process that dies in between leaves work for the next one, which may repeat it without
//! harm. A frame that was stale stays stale. A synthesis names the frames that it was made from, which are different
//! now, so it is stale until it is regenerated.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::{Digest, truncate};
use piton_store::port::{Batch, BoxFuture, TableEntry, TableWrite};
use serde::Serialize;

use crate::bounds::{
    ADOPTED_AT_ONCE, FRAMED_PATH_BYTES_MAX, METADATA_VALUE_BYTES_MAX, NODE_BATCH_KEYS, NOTES_MAX,
    TRIES_MAX,
};
use crate::context::{put, remove_after};
use crate::frame::{Appended, Basis, BasisInputs, Frame, FrameDraft, FrameId, Metadata};
use crate::rows::{NodeBody, RowKind, split_path};
use crate::tree::{Moves, Preimage, TreeNodeId, TreePath};
use crate::word::FrameType;
use crate::{Context, Error};

/// A frame that was carried along with a rename.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Adopted {
    /// Path of the old frame.
    pub from: TreePath,
    /// Path of the new frame.
    pub path: TreePath,
    pub frame_type: FrameType,
    /// The new frame, and whether it already existed.
    #[serde(flatten)]
    pub appended: Appended,
}

/// A frame to be appended at the new path. Its content is still with the old one.
struct FrameCopy {
    from: Frame,
    draft: FrameDraft,
}

/// State of an operation that copies the frames of several paths.
#[derive(Default)]
struct Copying {
    /// Old paths to new paths.
    moved: BTreeMap<TreePath, TreePath>,
    /// Old frames to new frames.
    frames: BTreeMap<FrameId, FrameId>,
    /// Digests of what nodes hold, independent of their paths.
    shapes: BTreeMap<TreeNodeId, Option<Digest>>,
    /// Set when the caller declares that the paths are the same thing, whatever the files hold.
    is_said: bool,
}

/// Old paths where something is damaged, with the damage.
type DamagedPaths = BTreeMap<TreePath, Error>;

impl Context {
    /// Notes every path with frames that moved in the tree that is to be recorded under the number `sequence`.
    pub(super) async fn note_moves(&self, moves: &Moves, sequence: u64) -> Result<(), Error> {
        // Without an append number there are no frames at all.
        if self.row(&self.keys.only(RowKind::Sequence)).await?.is_none() {
            return Ok(());
        }
        let mut batch = Batch::new();
        for found in &moves.certain {
            if found.to.as_bytes().len() > FRAMED_PATH_BYTES_MAX
                || !self.has_frames(&found.from).await?
            {
                continue;
            }
            // The number lets `adopt_noted` ignore notes for a tree that never became current.
            let value = [&sequence.to_be_bytes()[..], found.from.as_bytes()].concat();
            batch.push(put(self.keys.at(RowKind::ToAdopt, &found.to).into(), value));
            if batch.len() == NODE_BATCH_KEYS {
                self.commit(std::mem::take(&mut batch)).await?;
            }
        }
        // An ambiguous rename is only noted as a candidate: it is shown to readers, but never adopted automatically.
        for unclear in moves.unclear.iter().take(NOTES_MAX) {
            let mut described = None;
            for from in &unclear.from {
                if self.has_frames(from).await? {
                    described = Some(from);
                    break;
                }
            }
            let Some(from) = described else { continue };
            for to in unclear.to.iter().take(NOTES_MAX) {
                if to.as_bytes().len() <= FRAMED_PATH_BYTES_MAX && batch.len() < NODE_BATCH_KEYS {
                    batch.push(self.path_note(RowKind::Candidate, to, from));
                }
            }
        }
        if batch.is_empty() { Ok(()) } else { self.commit(batch).await }
    }

    /// Returns the write of a row about a rename: at one path, it names the other.
    fn path_note(&self, row: RowKind, at: &TreePath, other: &TreePath) -> TableWrite {
        put(self.keys.at(row, at).into(), other.as_bytes().to_vec())
    }

    async fn has_frames(&self, path: &TreePath) -> Result<bool, Error> {
        Ok(path.as_bytes().len() <= FRAMED_PATH_BYTES_MAX
            && self.row(&self.keys.at(RowKind::Set, path)).await?.is_some())
    }

    /// Adopts everything that is noted, if the current tree is the one that it was noted for, or a later one. Returns
    /// the number of frames.
    pub(super) async fn adopt_noted(&self) -> Result<u64, Error> {
        let notes = self.rows(&self.keys.all(RowKind::ToAdopt)).await?;
        if notes.is_empty() {
            return Ok(0);
        }
        let current = self.current().await?;
        let mut copying = Copying::default();
        let mut done: Vec<(TableEntry, TreePath, TreePath)> = Vec::new();
        let mut batch = Batch::new();
        for note in notes {
            // A note that cannot be read waits for a repair, and must not block scans.
            let Ok((sequence, from, to)) = read_note(&note) else { continue };
            // The tree of this note is not current yet; its process may still be recording it.
            if sequence > current.sequence {
                continue;
            }
            copying.moved.insert(from.clone(), to.clone());
            done.push((note, from, to));
        }
        let (adopted, damaged) =
            self.adopt_all(current.root, &mut copying, &Metadata::default()).await?;
        // Paths with a damaged frame stay noted until the frame is repaired.
        done.retain(|(_, from, _)| !damaged.contains_key(from));
        let went: BTreeSet<&TreePath> = adopted.iter().map(|adopted| &adopted.path).collect();
        for (note, from, to) in done {
            // Only a path that is gone redirects to the new one; another file may have taken the old path.
            if self.id_at(current.root, &from).await?.is_none() {
                batch.push(self.path_note(RowKind::MovedTo, &from, &to));
            }
            if went.contains(&to) {
                batch.push(self.path_note(RowKind::Renamed, &to, &from));
            }
            batch.push(remove_after(&note));
            // Each note adds at most three writes.
            if batch.len() + 3 > NODE_BATCH_KEYS {
                self.commit_each_once(std::mem::take(&mut batch)).await?;
            }
        }
        if !batch.is_empty() {
            self.commit_each_once(batch).await?;
        }
        Ok(adopted.len() as u64)
    }

    /// Commits writes, keeping only the last of each key. A conflict means that another process did the same work
    /// first.
    async fn commit_each_once(&self, batch: Batch) -> Result<(), Error> {
        match self.commit(each_once(batch)).await {
            Err(error) if error.is_conflict() => Ok(()),
            outcome => outcome,
        }
    }

    /// Copies the newest frames of `from` to the node at `to`, because the caller declares that they are the same.
    pub(crate) async fn adopt(
        &self,
        from: &TreePath,
        to: &TreePath,
        said: &Metadata,
    ) -> Result<Vec<Adopted>, Error> {
        let root = self.current().await?.root;
        if self.id_at(root, to).await?.is_none() {
            let nearest = self.nearest(root, to).await?;
            return Err(Error::NodeNotFound { asked: to.to_string(), nearest });
        }
        if from == to {
            return Err(Error::Invalid(format!("{from} has its own frames already")));
        }
        if !self.has_frames(from).await? {
            return Err(Error::FrameNotFound {
                asked: format!("at {from}"),
                path: Some(from.clone()),
            });
        }
        let mut copying = Copying { is_said: true, ..Copying::default() };
        copying.moved.insert(from.clone(), to.clone());
        let (adopted, damaged) = self.adopt_all(root, &mut copying, said).await?;
        if let Some((_, error)) = damaged.into_iter().next() {
            return Err(error);
        }
        let mut batch = vec![
            self.path_note(RowKind::MovedTo, from, to),
            self.path_note(RowKind::Renamed, to, from),
        ];
        batch.extend(
            self.row(&self.keys.at(RowKind::Candidate, to)).await?.as_ref().map(remove_after),
        );
        self.commit_each_once(batch).await?;
        Ok(adopted)
    }

    /// Adopts as much as possible. Returns the adopted frames, and the old paths where something is damaged.
    fn adopt_all<'a>(
        &'a self,
        root: TreeNodeId,
        copying: &'a mut Copying,
        said: &'a Metadata,
    ) -> BoxFuture<'a, Result<(Vec<Adopted>, DamagedPaths), Error>> {
        Box::pin(async move {
            let mut damaged = BTreeMap::new();
            let mut pairs: Vec<(TreePath, TreePath)> =
                copying.moved.iter().map(|(from, to)| (from.clone(), to.clone())).collect();
            // Deepest first: the basis of a directory's frame may name frames of its entries, which must be copied before.
            pairs.sort_by_key(|(from, _)| std::cmp::Reverse(from.depth()));
            let mut rounds: Vec<Vec<FrameCopy>> = Vec::new();
            for (from, to) in pairs {
                let copies = match self.copies(root, &from, &to, copying, said).await {
                    Err(error) if error.is_damage() => {
                        damaged.insert(from, error);
                        continue;
                    }
                    copies => copies?,
                };
                for (round, copy) in copies.into_iter().enumerate() {
                    // Frames of one path go into separate commits, because each of them changes the set of the path.
                    if round == rounds.len() {
                        rounds.push(Vec::new());
                    }
                    rounds[round].push(copy);
                }
            }
            let mut adopted = Vec::new();
            for round in rounds {
                let mut waiting = round.into_iter().peekable();
                while waiting.peek().is_some() {
                    let some = waiting.by_ref().take(ADOPTED_AT_ONCE).collect();
                    adopted.extend(self.append_copies(some, &mut damaged).await?);
                }
            }
            Ok((adopted, damaged))
        })
    }

    /// Returns the newest frames of `from` as frames of the node at `to`, or none if nothing is there any more.
    async fn copies(
        &self,
        root: TreeNodeId,
        from: &TreePath,
        to: &TreePath,
        copying: &mut Copying,
        said: &Metadata,
    ) -> Result<Vec<FrameCopy>, Error> {
        let Some((there, _)) = self.id_at(root, to).await? else {
            return Ok(Vec::new());
        };
        let mut copies = Vec::new();
        for frame in self.frames_to_copy(root, from, there, copying).await? {
            let is_same = self.is_same(frame.node_id, there, copying).await?;
            // Rebind to the new node only if it holds the same. Otherwise the old id stays, and the copy is as stale as
            // its source.
            let node_id = if is_same { there } else { frame.node_id };
            let basis = match &frame.basis {
                Basis::Written { node_id, content } => {
                    let is_same = self.is_same(*node_id, there, copying).await?;
                    let node_id = if is_same { there } else { *node_id };
                    Basis::Written { node_id, content: *content }
                }
                Basis::Generated { prompt, given, attempt } => {
                    let mut now = Vec::with_capacity(given.len());
                    for given in given {
                        now.push(self.given_now(root, given, copying).await?);
                    }
                    Basis::Generated { prompt: *prompt, given: now, attempt: *attempt }
                }
                // Left as it is, so the copy is stale until it is regenerated.
                synthesis @ Basis::Synthesis { .. } => synthesis.clone(),
            };
            let text = from.to_string();
            let metadata = frame.metadata.clone().and(said)?;
            let metadata = metadata
                .with("adopted_from", truncate(&text, METADATA_VALUE_BYTES_MAX))
                .with("adopted_frame", frame.id.to_string());
            let draft = FrameDraft {
                path: to.clone(),
                node_id,
                frame_type: frame.frame_type.clone(),
                agent_id: frame.agent_id.clone(),
                basis,
                content: Vec::new(),
                metadata,
            };
            // The id does not depend on the content, so frames that build on this one can refer to it already.
            copying.frames.insert(frame.id, draft.id());
            copies.push(FrameCopy { from: frame, draft });
        }
        Ok(copies)
    }

    /// Returns the newest frames of `from`, one of each type. If another file is at `from` now, only frames about the
    /// content of `there` count: the others are about that file, or are adopted by it in turn.
    async fn frames_to_copy(
        &self,
        root: TreeNodeId,
        from: &TreePath,
        there: TreeNodeId,
        copying: &mut Copying,
    ) -> Result<Vec<Frame>, Error> {
        let mut frames = Vec::new();
        if copying.is_said || self.id_at(root, from).await?.is_none() {
            for head in self.heads(from).await? {
                frames.push(self.frame_at(from, head.index).await?);
            }
            return Ok(frames);
        }
        let mut newest = BTreeMap::new();
        for (frame, _) in self.frames_of(from).await? {
            if self.is_same(frame.node_id, there, copying).await? {
                // Frames come in the order of appending, so the last insert of a type wins.
                newest.insert(frame.frame_type.clone(), frame);
            }
        }
        Ok(newest.into_values().collect())
    }

    /// Translates an input of a model to its current path and id.
    async fn given_now(
        &self,
        root: TreeNodeId,
        given: &BasisInputs,
        copying: &mut Copying,
    ) -> Result<BasisInputs, Error> {
        Ok(match given {
            BasisInputs::Node { path, node_id } => {
                let Some(to) = copying.moved.get(path).cloned() else { return Ok(given.clone()) };
                let there = self.id_at(root, &to).await?.map(|(id, _)| id);
                match there {
                    Some(there) if self.is_same(*node_id, there, copying).await? => {
                        BasisInputs::Node { path: to, node_id: there }
                    }
                    _ => given.clone(),
                }
            }
            BasisInputs::Frame { path, frame_type, frame_id } => {
                match (copying.moved.get(path), copying.frames.get(frame_id)) {
                    (Some(to), Some(now)) => BasisInputs::Frame {
                        path: to.clone(),
                        frame_type: frame_type.clone(),
                        frame_id: *now,
                    },
                    _ => given.clone(),
                }
            }
        })
    }

    /// True if two nodes hold the same content, whatever their paths.
    async fn is_same(
        &self,
        one: TreeNodeId,
        other: TreeNodeId,
        copying: &mut Copying,
    ) -> Result<bool, Error> {
        if one == other {
            return Ok(true);
        }
        let one = self.shape(one, copying).await?;
        Ok(one.is_some() && one == self.shape(other, copying).await?)
    }

    /// Returns a digest of what a recorded node holds, independent of its path, or `None` if it is not recorded.
    fn shape<'a>(
        &'a self,
        id: TreeNodeId,
        copying: &'a mut Copying,
    ) -> BoxFuture<'a, Result<Option<Digest>, Error>> {
        Box::pin(async move {
            if let Some(known) = copying.shapes.get(&id) {
                return Ok(*known);
            }
            let Some((_, body)) = self.body(id).await? else {
                return Ok(None);
            };
            let mut shape = Preimage::new("moved_node");
            shape.field(body.kind().as_str().as_bytes());
            match body {
                NodeBody::File { content, executable, .. } => {
                    shape.field(content.as_bytes());
                    shape.field(&[u8::from(executable)]);
                }
                NodeBody::Symlink { target } => shape.field(&target),
                NodeBody::Directory { children, .. } => {
                    for child in children {
                        // One unrecorded entry makes the whole directory unknown.
                        let Some(below) = self.shape(child.id, copying).await? else {
                            return Ok(None);
                        };
                        shape.field(child.name.as_bytes());
                        shape.field(below.as_bytes());
                    }
                }
            }
            let shape = Some(shape.finish());
            copying.shapes.insert(id, shape);
            Ok(shape)
        })
    }

    async fn append_copies(
        &self,
        some: Vec<FrameCopy>,
        damaged: &mut BTreeMap<TreePath, Error>,
    ) -> Result<Vec<Adopted>, Error> {
        let mut copies = Vec::with_capacity(some.len());
        for mut copy in some {
            // The content is read only now, so that at most one commit's worth is in memory.
            match self.content(&copy.from).await {
                Err(error) if error.is_damage() => {
                    damaged.insert(copy.from.path, error);
                }
                content => {
                    copy.draft.content = content?;
                    copies.push(copy);
                }
            }
        }
        let drafts: Vec<&FrameDraft> = copies.iter().map(|copy| &copy.draft).collect();
        for _ in 0..TRIES_MAX {
            match self.append_all(&drafts).await {
                Err(error) if error.is_conflict() => {}
                Err(error) => return Err(error),
                Ok(appended) => {
                    let line = |(copy, appended): (&FrameCopy, Appended)| Adopted {
                        from: copy.from.path.clone(),
                        path: copy.draft.path.clone(),
                        frame_type: copy.draft.frame_type.clone(),
                        appended,
                    };
                    return Ok(copies.iter().zip(appended).map(line).collect());
                }
            }
        }
        Err(Error::too_many("other processes wrote beside the adopted frames"))
    }

    /// Returns the path that `path` was renamed to, if that is in the tree `root`.
    pub(crate) async fn moved_to(
        &self,
        root: TreeNodeId,
        path: &TreePath,
    ) -> Result<Option<TreePath>, Error> {
        let (mut at, mut seen) = (path.clone(), BTreeSet::new());
        // Follow repeated renames to the current path; `seen` guards against cycles.
        while seen.insert(at.clone()) && at.as_bytes().len() <= FRAMED_PATH_BYTES_MAX {
            let Some(row) = self.row(&self.keys.at(RowKind::MovedTo, &at)).await? else {
                return Ok(None);
            };
            at = old_path(&row.value)?;
            if self.id_at(root, &at).await?.is_some() {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}

/// Keeps only the last write of each key.
pub(crate) fn each_once(batch: Batch) -> Batch {
    let mut last = BTreeMap::new();
    for write in batch {
        last.insert(write.key.clone(), write);
    }
    last.into_values().collect()
}

/// Decodes a note: the number of the tree with the rename, the old path and the new one.
pub(crate) fn read_note(note: &TableEntry) -> Result<(u64, TreePath, TreePath), Error> {
    let damaged = || Error::integrity("the note about a rename", "its row is cut");
    let (to, _) = split_path(&note.key).ok_or_else(damaged)?;
    let (sequence, from) = note.value.split_first_chunk().ok_or_else(damaged)?;
    Ok((u64::from_be_bytes(*sequence), old_path(from)?, to))
}

/// Decodes the path in a row about a rename.
pub(crate) fn old_path(bytes: &[u8]) -> Result<TreePath, Error> {
    TreePath::new(bytes)
        .map_err(|error| Error::integrity("the old path of a file", error.to_string()))
}
