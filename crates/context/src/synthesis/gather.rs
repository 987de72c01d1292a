//! Gathers the inputs of a synthesis: heads of the direct entries of a directory.

use piton_store::bounds::TABLE_GET_MAX;

use super::{PolicyInput, policy::Selection};
use crate::{
    Context, Error,
    bounds::SYNTHESIS_FRAMES_MAX,
    frame::{Frame, FrameHead, Policy},
    rows::{NodeBody, keys::RowKind},
    tree::{TreeNodeId, TreePath},
    word::FrameType,
};

impl Context {
    /// Returns the heads that a policy uses at a directory, sorted by the names of the entries and then by frame id.
    /// Returns `None` if there is no directory at `path`.
    pub(crate) async fn gather(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        policy: &Policy,
    ) -> Result<Option<Vec<(TreePath, FrameHead)>>, Error> {
        let selection = Selection::of(policy)?;
        let Some((id, _)) = self.id_at(root, path).await? else {
            return Ok(None);
        };
        let Some((_, NodeBody::Directory { children, .. })) = self.body(id).await? else {
            return Ok(None);
        };
        let paths: Vec<TreePath> = children.iter().map(|child| path.join(&child.name)).collect();
        let mut found = Vec::new();
        if let Ok(only) = selection.inputs.parse::<FrameType>() {
            // There is one head per type and path, so many can be read at a time.
            for paths in paths.chunks(TABLE_GET_MAX) {
                let keys = paths.iter().map(|path| self.keys.typed(RowKind::Head, path, &only));
                let rows = self.ports.table.get_all(keys.collect()).await?;
                for (path, row) in paths.iter().zip(rows) {
                    let head = row.map(|row| FrameHead::decode(&row.value)).transpose()?;
                    found.extend(
                        head.filter(|head| selection.takes(head)).map(|head| (path.clone(), head)),
                    );
                }
            }
        } else {
            for path in paths {
                let mut heads = self.heads(&path).await?;
                heads.retain(|head| selection.takes(head));
                heads.sort_unstable_by_key(|head| head.frame);
                found.extend(heads.into_iter().map(|head| (path.clone(), head)));
            }
        }
        if let Some(max) = selection.frames_max {
            found.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        }
        if found.len() > SYNTHESIS_FRAMES_MAX {
            return Err(Error::Invalid(format!(
                "{path} has {} frames to be put together; at most {SYNTHESIS_FRAMES_MAX}. Use the filtering policy.",
                found.len()
            )));
        }
        Ok(Some(found))
    }

    /// Returns the frames of heads with their contents.
    pub(super) async fn pieces(
        &self,
        heads: &[(TreePath, FrameHead)],
    ) -> Result<Vec<PolicyInput>, Error> {
        let mut pieces = Vec::with_capacity(heads.len());
        for heads in heads.chunks(TABLE_GET_MAX) {
            let key = |(path, head): &(TreePath, FrameHead)| {
                self.keys.numbered(RowKind::Frame, path, head.index)
            };
            let rows = self.ports.table.get_all(heads.iter().map(key).collect()).await?;
            for ((path, head), row) in heads.iter().zip(rows) {
                let row = row.ok_or_else(|| {
                    Error::integrity(format!("the frame {}", head.frame), "its row is missing")
                })?;
                let (frame, inline) = Frame::decode(&row.value)?;
                pieces.push(PolicyInput {
                    path: path.clone(),
                    frame_type: head.frame_type.clone(),
                    agent_id: head.agent_id.clone(),
                    content: self.content_from(&frame, inline).await?,
                });
            }
        }
        Ok(pieces)
    }
}
