//! What a synthesis is made from: heads of the direct entries of a directory.

use super::{Piece, policy::Selection};
use crate::{
    Context, Error,
    bounds::SYNTHESIS_FRAMES_MAX,
    frame::{Head, Policy},
    stored::{NodeBody, keys::Row},
    tree::{TreeNodeId, TreePath},
};

impl Context {
    /// The heads that a policy uses at a directory, by the names of the entries and then by frame id; `None` if there
    /// is no directory at `path`.
    pub(crate) async fn gather(
        &self,
        root: TreeNodeId,
        path: &TreePath,
        policy: &Policy,
    ) -> Result<Option<Vec<(TreePath, Head)>>, Error> {
        let selection = Selection::of(policy)?;
        let Some((id, _)) = self.id_at(root, path).await? else {
            return Ok(None);
        };
        let Some((_, NodeBody::Directory { children, .. })) = self.body(id).await? else {
            return Ok(None);
        };
        let mut found = Vec::new();
        for child in children {
            let path = path.join(&child.name);
            let rows = self.rows(&self.keys.at(Row::Head, &path)).await?;
            let mut heads = Vec::new();
            for row in rows {
                let head = Head::decode(&row.value)?;
                if selection.takes(&head) {
                    heads.push((path.clone(), head));
                }
            }
            heads.sort_unstable_by_key(|(_, head)| head.frame);
            found.extend(heads);
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

    /// The frames of heads with their contents.
    pub(super) async fn pieces(&self, heads: &[(TreePath, Head)]) -> Result<Vec<Piece>, Error> {
        let mut pieces = Vec::with_capacity(heads.len());
        for (path, head) in heads {
            let frame = self.frame_at(path, head.index).await?;
            pieces.push(Piece {
                path: path.clone(),
                frame_type: head.frame_type.clone(),
                agent_id: head.agent_id.clone(),
                content: self.content(&frame).await?,
            });
        }
        Ok(pieces)
    }
}
