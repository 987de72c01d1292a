//! Reads frames and heads. Every content that is returned has been checked.

use piton_core::Digest;
use piton_store::port::{BlobNamespace, TableEntry};
use serde::{Deserialize, Serialize};

use super::append::place_index;
use super::set::phrase;
use super::{BasisKind, Frame, FrameId, FrameSet, LOST, Proof, SetRoot, leaf, lost_leaf};
use crate::rows::{RowKind, split_path};
use crate::tree::TreePath;
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// The newest frame of a type at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FrameHead {
    pub frame: FrameId,
    /// Index among the frames of the path.
    pub index: u64,
    /// Number of the append that made it the head.
    pub sequence: u64,
    pub frame_type: FrameType,
    pub agent_id: AgentId,
    pub kind: BasisKind,
}

impl Context {
    /// Returns the head of a type at a path.
    pub async fn head(
        &self,
        path: &TreePath,
        frame_type: &FrameType,
    ) -> Result<Option<FrameHead>, Error> {
        let row = self.row(&self.keys.typed(RowKind::Head, path, frame_type)).await?;
        row.map(|row| FrameHead::decode(&row.value)).transpose()
    }

    /// Returns the heads at a path, sorted by type.
    pub async fn heads(&self, path: &TreePath) -> Result<Vec<FrameHead>, Error> {
        let rows = self.rows(&self.keys.at(RowKind::Head, path)).await?;
        rows.iter().map(|row| FrameHead::decode(&row.value)).collect()
    }

    /// Returns the heads at a path and everywhere below it, sorted by path and type.
    pub(crate) async fn heads_within(
        &self,
        path: &TreePath,
    ) -> Result<Vec<(TreePath, FrameHead)>, Error> {
        let mut rows = self.rows(&self.keys.at(RowKind::Head, path)).await?;
        let below = self.rows(&self.keys.below(RowKind::Head, path)).await?;
        rows.extend(below.into_iter().filter(|row| {
            // For the root, the range below it includes its own rows, which are already there.
            split_path(&row.key).is_some_and(|(found, _)| found != *path)
        }));
        let head = |row: &TableEntry| {
            let (path, _) =
                split_path(&row.key).ok_or_else(|| Error::integrity("a head", "its key is cut"))?;
            Ok((path, FrameHead::decode(&row.value)?))
        };
        rows.iter().map(head).collect()
    }

    /// Returns the heads of the whole project, sorted by path and type, also of paths that are gone from its tree.
    pub async fn all_heads(&self) -> Result<Vec<(TreePath, FrameHead)>, Error> {
        self.heads_within(&TreePath::root()).await
    }

    /// Returns the content of a head's frame, checked against its digest.
    pub async fn head_content(&self, path: &TreePath, head: &FrameHead) -> Result<Vec<u8>, Error> {
        self.content_at(path, head.index).await
    }

    /// Returns every frame of a path in the order of appending, with the contents that are stored in their rows.
    pub(crate) async fn frames_of(
        &self,
        path: &TreePath,
    ) -> Result<Vec<(Frame, Option<Vec<u8>>)>, Error> {
        let rows = self.rows(&self.keys.at(RowKind::Frame, path)).await?;
        let there = rows.iter().filter(|row| row.value != LOST);
        there.map(|row| Frame::decode(&row.value)).collect()
    }

    /// Returns the frame at an index.
    pub(crate) async fn frame_at(&self, path: &TreePath, index: u64) -> Result<Frame, Error> {
        Ok(self.record_at(path, index).await?.0)
    }

    /// Returns the frame at an index, with the content that is stored in its row.
    async fn record_at(
        &self,
        path: &TreePath,
        index: u64,
    ) -> Result<(Frame, Option<Vec<u8>>), Error> {
        let key = self.keys.numbered(RowKind::Frame, path, index);
        let row = self.row(&key).await?.filter(|row| row.value != LOST);
        Frame::decode(&row.ok_or_else(|| row_missing(path, index))?.value)
    }

    /// Reads the frames of at most [`TABLE_GET_MAX`](piton_store::bounds::TABLE_GET_MAX) heads in one call.
    pub(crate) async fn frames_at(
        &self,
        heads: &[(TreePath, FrameHead)],
    ) -> Result<Vec<Frame>, Error> {
        Ok(self.records_at(heads).await?.into_iter().map(|(frame, _)| frame).collect())
    }

    /// Like [`Self::frames_at`], with the contents that are stored in the rows of the frames.
    pub(crate) async fn records_at(
        &self,
        heads: &[(TreePath, FrameHead)],
    ) -> Result<Vec<(Frame, Option<Vec<u8>>)>, Error> {
        let key = |(path, head): &(TreePath, FrameHead)| {
            self.keys.numbered(RowKind::Frame, path, head.index)
        };
        if heads.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.ports.table.get_all(heads.iter().map(key).collect()).await?;
        let record = |((path, head), row): (&(TreePath, FrameHead), Option<TableEntry>)| {
            Frame::decode(&row.ok_or_else(|| row_missing(path, head.index))?.value)
        };
        heads.iter().zip(rows).map(record).collect()
    }

    /// Returns a frame by its id.
    pub async fn frame(&self, id: FrameId) -> Result<Frame, Error> {
        let missing = || Error::FrameNotFound { asked: id.to_string(), path: None };
        let place = self.row(&self.keys.digests(RowKind::Place, &id.digest(), None)).await?;
        let place = place.ok_or_else(missing)?;
        let index = place_index(&place.value)?;
        let path = TreePath::new(&place.value[8..])
            .map_err(|error| Error::integrity("the place of a frame", error.to_string()))?;
        let frame = self.frame_at(&path, index).await?;
        // The place index is a separate row, so verify that it and the frame agree.
        if frame.id != id {
            return Err(Error::integrity(
                format!("the place of the frame {id}"),
                "another is there",
            ));
        }
        Ok(frame)
    }

    /// Returns the content of a frame, checked against its digest.
    pub async fn content(&self, frame: &Frame) -> Result<Vec<u8>, Error> {
        self.content_at(&frame.path, frame.index).await
    }

    /// Returns the content of the frame at an index, checked against its digest.
    pub(crate) async fn content_at(&self, path: &TreePath, index: u64) -> Result<Vec<u8>, Error> {
        let (frame, inline) = self.record_at(path, index).await?;
        self.content_from(&frame, inline).await
    }

    /// Returns the content of a frame, from its row or from the blob store, checked against its digest.
    pub(crate) async fn content_from(
        &self,
        frame: &Frame,
        inline: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, Error> {
        if let Some(content) = inline {
            return frame.checked(content);
        }
        let content = self.ports.blobs.get(BlobNamespace::Context, frame.content).await?;
        frame.checked(content.ok_or_else(|| {
            Error::integrity(format!("the content of the frame {}", frame.id), "it is missing")
        })?)
    }

    /// Returns the root digest and the size of the set of a path's frames.
    pub async fn frame_set(&self, path: &TreePath) -> Result<SetRoot, Error> {
        Ok(self.set_of(path).await?.root())
    }

    pub(crate) async fn set_of(&self, path: &TreePath) -> Result<FrameSet, Error> {
        FrameSet::of_row(path, self.row(&self.keys.at(RowKind::Set, path)).await?.as_ref())
    }

    /// Proves that a frame is in the set of its path.
    pub async fn prove(&self, id: FrameId) -> Result<(SetRoot, Proof), Error> {
        let frame = self.frame(id).await?;
        let rows = self.rows(&self.keys.at(RowKind::Frame, &frame.path)).await?;
        let mut leaves: Vec<Digest> = Vec::with_capacity(rows.len());
        for row in &rows {
            if row.value == LOST {
                // A lost place keeps its leaf, so that the indices of later frames stay the same.
                leaves.push(lost_leaf());
                continue;
            }
            let (found, _) = Frame::decode(&row.value)?;
            leaves.push(leaf(found.id, &found.header()));
        }
        let root = self.frame_set(&frame.path).await?;
        let index = usize::try_from(frame.index).unwrap_or(usize::MAX);
        // A proof against a root that the rows do not give would not verify.
        if index >= leaves.len() || FrameSet::of(&leaves).root() != root {
            return Err(Error::integrity(phrase(&frame.path), "it is not the set of its frames"));
        }
        Ok((root, Proof::make(&leaves, index)))
    }

    /// Returns the frames that were made from a basis.
    pub async fn frames_with_basis(&self, basis: Digest) -> Result<Vec<FrameId>, Error> {
        self.second_digests(self.keys.digests(RowKind::Basis, &basis, None).to_vec()).await
    }

    /// Returns the frames that were made from another frame.
    pub async fn dependents(&self, frame: FrameId) -> Result<Vec<FrameId>, Error> {
        self.second_digests(self.keys.digests(RowKind::Dependent, &frame.digest(), None).to_vec())
            .await
    }

    async fn second_digests(&self, prefix: Vec<u8>) -> Result<Vec<FrameId>, Error> {
        let rows = self.rows(&prefix).await?;
        let id = |row: &TableEntry| {
            let digest = row.key[prefix.len()..].try_into().map(Digest::from_bytes);
            digest.map(FrameId::new).map_err(|_| Error::integrity("an index", "a key is cut"))
        };
        rows.iter().map(id).collect()
    }
}

fn row_missing(path: &TreePath, index: u64) -> Error {
    Error::integrity(format!("the frame {index} of {path}"), "its row is missing")
}
