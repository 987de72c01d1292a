//! Appends a frame: frame, set, head and indices in one commit.

use std::sync::Arc;

use piton_core::{Digest, FileBytes, canonical};
use piton_store::collect::lease_name;
use piton_store::port::BoxFuture;
use piton_store::port::{Batch, BlobNamespace, Key, Lease, Mode, Patience, TableEntry};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Basis, Frame, FrameHead, FrameId, FrameSet, Metadata, leaf};
use crate::bounds::{
    COLLECTION_PATIENCE, CONTENT_BYTES_MAX, FRAMED_PATH_BYTES_MAX, INLINE_BYTES_MAX,
    TRIES_IN_A_CROWD, TRIES_MAX, TURN_PATIENCE,
};
use crate::context::{keep, put, put_after, remove_after};
use crate::history::each_once;
use crate::rows::{RowKind, put_number};
use crate::tree::{TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// Reason reported when an append or a repair gives up.
pub(crate) const FRAMES_CROWDED: &str = "other processes appended frames";

/// A frame to be appended.
#[derive(Clone, Debug)]
pub(crate) struct FrameDraft {
    pub(crate) path: TreePath,
    pub(crate) node_id: TreeNodeId,
    pub(crate) frame_type: FrameType,
    pub(crate) agent_id: AgentId,
    pub(crate) basis: Basis,
    pub(crate) content: Vec<u8>,
    pub(crate) metadata: Metadata,
}

/// State that a draft was made from, and that must be unchanged when the draft is recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Precondition {
    /// The row of the current tree.
    pub(crate) current: Option<TableEntry>,
    /// The number of the next append, which changes with every frame and head.
    pub(crate) sequence: Option<NextAppend>,
}

/// The row with the number of the next append, as it was read. There is none before the first append.
#[derive(Clone, Debug)]
pub(crate) struct NextAppend(pub(crate) Option<TableEntry>);

piton_core::closed_set! {
    /// The result of an append.
    pub enum AppendOutcome {
        /// A new frame, which is the head now.
        Added => "added",
        /// The frame was there; it is the head again.
        HeadMoved => "head_moved",
        /// The frame was there and is the head.
        Unchanged => "unchanged",
        /// The frame was there and is the head; it was marked as invalid, and the same again takes the mark away.
        Reaffirmed => "reaffirmed",
    }
}

/// A frame that was appended or already existed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Appended {
    pub frame: FrameId,
    pub outcome: AppendOutcome,
}

impl Appended {
    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let Self { frame, outcome } = self;
        match outcome {
            AppendOutcome::Added => format!("The frame {frame} was added."),
            AppendOutcome::HeadMoved => {
                format!("The frame {frame} was there already, and is the newest again.")
            }
            AppendOutcome::Unchanged => format!("The frame {frame} is there already."),
            AppendOutcome::Reaffirmed => {
                format!(
                    "The frame {frame} was there already and marked as invalid; it holds again."
                )
            }
        }
    }
}

impl FrameDraft {
    pub(crate) fn id(&self) -> FrameId {
        FrameId::of(&self.path, &self.frame_type, &self.agent_id, &self.basis)
    }

    fn check(&self) -> Result<(), Error> {
        if self.content.len() > CONTENT_BYTES_MAX {
            return Err(Error::Invalid(format!(
                "the content has {} bytes; a frame takes {CONTENT_BYTES_MAX}",
                self.content.len()
            )));
        }
        if self.path.as_bytes().len() > FRAMED_PATH_BYTES_MAX {
            return Err(Error::Invalid(format!(
                "the path has {} bytes; paths of frames have at most {FRAMED_PATH_BYTES_MAX}",
                self.path.as_bytes().len()
            )));
        }
        Ok(())
    }
}

impl Context {
    /// Appends a frame and makes it the head of its path and type. If anything in the precondition has changed since it
    /// was read, nothing is written and the error is a conflict.
    pub(crate) fn append<'a>(
        &'a self,
        draft: &'a FrameDraft,
        after: &'a Precondition,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(async move {
            draft.check()?;
            let mut turn = None;
            for tries in 0..TRIES_MAX {
                // After several collisions, queue up behind the other colliding writers instead of racing them.
                if tries == TRIES_IN_A_CROWD {
                    turn = Some(self.turn().await?);
                }
                match self.try_append(draft, after).await {
                    Err(Error::Store(piton_store::Error::Conflict { keys })) => {
                        // The draft depends on state that changed, so a retry cannot help. Key 0 is the current tree,
                        // because it is pushed first.
                        if after.sequence.is_some()
                            || (after.current.is_some() && keys.contains(&0))
                        {
                            return Err(Error::Store(piton_store::Error::Conflict { keys }));
                        }
                    }
                    outcome => return outcome,
                }
            }
            drop(turn);
            Err(Error::too_many(FRAMES_CROWDED))
        })
    }

    /// Waits for the turn of one writer among those that collided. Writers that have not collided continue without it.
    async fn turn(&self) -> Result<Lease, Error> {
        let name = format!("context-{}-appends", self.project);
        let name = name.parse().expect("hex digits and dashes are a name");
        let patience = Patience::Wait(TURN_PATIENCE);
        Ok(self.ports.leases.acquire(&name, Mode::Exclusive, patience).await?)
    }

    async fn try_append(
        &self,
        draft: &FrameDraft,
        after: &Precondition,
    ) -> Result<Appended, Error> {
        let mut batch = Batch::new();
        // This must be the first key of the batch: `append` recognises a conflict on it by its position.
        if let Some(current) = &after.current {
            batch.push(keep(Arc::clone(&current.key), Some(current)));
        }
        let [head, place, set, invalid] = self.keys_around(draft);
        let keys = [self.keys.only(RowKind::Sequence), head, place, set, invalid];
        let [sequence, head, place, set, invalid] = self.rows_of(keys).await?;
        let sequence = match &after.sequence {
            Some(NextAppend(read)) => read.clone(),
            None => sequence,
        };
        let next = next_sequence(sequence.as_ref())?;
        // From the first blob to the commit, the collector must not remove blobs that nothing refers to yet.
        let shared = match place {
            None => self.shared_with_collection(draft).await?,
            Some(_) => None,
        };
        let appended = self.add_to(draft, next, [head, place, set, invalid], &mut batch).await?;
        // Nothing would change, so do not disturb other writers with a commit.
        if appended.outcome == AppendOutcome::Unchanged {
            return Ok(appended);
        }
        batch.extend(self.next_number(sequence.as_ref(), next + 1));
        self.commit(batch).await?;
        // Held until here: the frame refers to the blob once the commit is done.
        drop(shared);
        Ok(appended)
    }

    /// Appends frames of different paths in one commit. If another writer appends at the same time, nothing is written
    /// and the error is a conflict.
    pub(crate) async fn append_all(&self, drafts: &[&FrameDraft]) -> Result<Vec<Appended>, Error> {
        let sequence = self.row(&self.keys.only(RowKind::Sequence)).await?;
        let mut next = next_sequence(sequence.as_ref())?;
        let (mut batch, mut appended) = (Batch::new(), Vec::with_capacity(drafts.len()));
        let mut shared = None;
        for draft in drafts {
            draft.check()?;
            if shared.is_none() {
                shared = self.shared_with_collection(draft).await?;
            }
            let rows = self.rows_of(self.keys_around(draft)).await?;
            let added = self.add_to(draft, next, rows, &mut batch).await?;
            next += u64::from(added.outcome != AppendOutcome::Unchanged);
            appended.push(added);
        }
        if !batch.is_empty() {
            batch.extend(self.next_number(sequence.as_ref(), next));
            // Several frames may touch the same parent directory, but a batch takes each key once.
            self.commit(each_once(batch)).await?;
        }
        drop(shared);
        Ok(appended)
    }

    /// Returns the keys that an append depends on: the head, the place of the frame, the set and the invalid mark.
    fn keys_around(&self, draft: &FrameDraft) -> [Key; 4] {
        [
            self.keys.typed(RowKind::Head, &draft.path, &draft.frame_type),
            self.keys.digests(RowKind::Place, &draft.id().digest(), None),
            self.keys.at(RowKind::Set, &draft.path).into(),
            self.keys.typed(RowKind::Invalid, &draft.path, &draft.frame_type),
        ]
    }

    /// Adds the changes of an append with the number `next` to `batch`, except for the number of the following append.
    async fn add_to(
        &self,
        draft: &FrameDraft,
        next: u64,
        [head, place, set, invalid]: [Option<TableEntry>; 4],
        batch: &mut Batch,
    ) -> Result<Appended, Error> {
        let frame = draft.id();
        let head = head.map(|row| FrameHead::decode(&row.value)).transpose()?;
        let (index, outcome) = match &place {
            Some(place) => {
                // The id covers path, type, agent and basis, so an existing place means that the frame is already
                // stored.
                let is_head = head.as_ref().is_some_and(|head| head.frame == frame);
                if is_head && invalid.is_none() {
                    return Ok(Appended { frame, outcome: AppendOutcome::Unchanged });
                }
                let index = place_index(&place.value)?;
                // Only the head moves, and the number of this append becomes the recency of the frame.
                let moved = self.keys.numbered(RowKind::Moved, &draft.path, index);
                batch.push(put(moved, next.to_be_bytes().into()));
                (index, if is_head { AppendOutcome::Reaffirmed } else { AppendOutcome::HeadMoved })
            }
            None => (self.add_frame(draft, frame, next, set, batch).await?, AppendOutcome::Added),
        };
        let head = FrameHead {
            frame,
            index,
            sequence: next,
            frame_type: draft.frame_type.clone(),
            agent_id: draft.agent_id.clone(),
            kind: draft.basis.kind(),
        };
        batch.push(put(
            self.keys.typed(RowKind::Head, &draft.path, &draft.frame_type),
            head.encode(),
        ));
        // A synthesis that was carried along by a rename is out of date, wherever the rename was recorded.
        if draft.metadata.get("adopted_from").is_some() {
            batch.push(self.touch(&draft.path));
        }
        batch.extend(draft.path.parent().map(|parent| self.touch(&parent)));
        batch.extend(invalid.as_ref().map(remove_after));
        Ok(Appended { frame, outcome })
    }

    /// Makes `next` the number of the next append, provided that no one else appended since `read`.
    fn next_number(&self, read: Option<&TableEntry>, next: u64) -> Batch {
        let mut batch = Batch::new();
        // The first append of a project marks the frame listing as complete.
        batch.extend(read.is_none().then(|| self.all_listed()));
        let key = self.keys.only(RowKind::Sequence);
        batch.push(put_after(key, read, next.to_be_bytes().into()));
        batch
    }

    /// Acquires the lease that keeps the collector away, if the content becomes a blob.
    async fn shared_with_collection(&self, draft: &FrameDraft) -> Result<Option<Lease>, Error> {
        if draft.content.len() <= INLINE_BYTES_MAX {
            return Ok(None);
        }
        let patience = Patience::Wait(COLLECTION_PATIENCE);
        Ok(Some(self.ports.leases.acquire(&lease_name(), Mode::Shared, patience).await?))
    }

    /// Adds everything that a new frame needs besides its head, and extends the `set` of its path. Returns the index of
    /// the frame there.
    async fn add_frame(
        &self,
        draft: &FrameDraft,
        id: FrameId,
        sequence: u64,
        set: Option<TableEntry>,
        batch: &mut Batch,
    ) -> Result<u64, Error> {
        let mut set = FrameSet::of_row(&draft.path, set.as_ref())?;
        let frame = Frame {
            id,
            path: draft.path.clone(),
            node_id: draft.node_id,
            frame_type: draft.frame_type.clone(),
            agent_id: draft.agent_id.clone(),
            basis: draft.basis.clone(),
            content: Digest::of(&FileBytes(&draft.content)),
            bytes: draft.content.len() as u64,
            metadata: draft.metadata.clone(),
            sequence,
            index: set.count(),
            created_at_ms: self.ports.clock.now_ms(),
        };
        let inline = draft.content.len() <= INLINE_BYTES_MAX;
        // The blob must be stored before the row that refers to it is committed.
        if !inline {
            self.ports.blobs.put(BlobNamespace::Context, draft.content.clone()).await?;
        }
        let header = frame.header();
        set.add(leaf(id, &header));
        let row = Frame::encode(&header, inline.then_some(&*draft.content));
        batch.push(put(self.keys.numbered(RowKind::Frame, &draft.path, frame.index), row));
        batch.push(put(self.keys.at(RowKind::Set, &draft.path).into(), set.encode()));
        batch.extend(self.listed(&frame));
        let mut place = Vec::new();
        put_number(&mut place, frame.index);
        place.extend_from_slice(draft.path.as_bytes());
        batch.push(put(self.keys.digests(RowKind::Place, &id.digest(), None), place));
        let basis = draft.basis.digest();
        batch.push(put(self.keys.digests(RowKind::Basis, &basis, Some(&id.digest())), Vec::new()));
        let mut parts = draft.basis.frames();
        parts.sort_unstable();
        // A frame may be part of a basis more than once, but a batch takes each key once.
        parts.dedup();
        for part in parts {
            let key = self.keys.digests(RowKind::Dependent, &part.digest(), Some(&id.digest()));
            batch.push(put(key, Vec::new()));
        }
        Ok(frame.index)
    }
}

/// Decodes the number of the next append.
pub(crate) fn next_sequence(row: Option<&TableEntry>) -> Result<u64, Error> {
    let Some(row) = row else {
        return Ok(1);
    };
    let number = row.value.as_slice().try_into().map(u64::from_be_bytes);
    number.map_err(|_| Error::integrity("the number of the next append", "it is no number"))
}

/// Decodes the index in a place row.
pub(crate) fn place_index(row: &[u8]) -> Result<u64, Error> {
    let (index, _) = row
        .split_first_chunk()
        .ok_or_else(|| Error::integrity("the place of a frame", "its row is cut"))?;
    Ok(u64::from_be_bytes(*index))
}

impl FrameHead {
    pub(crate) fn encode(&self) -> Vec<u8> {
        canonical::encode(self).expect("it has texts and small numbers only").into_vec()
    }

    pub(crate) fn decode(row: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(row).map_err(|error| Error::integrity("a head", error.to_string()))
    }
}
