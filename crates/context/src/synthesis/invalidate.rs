//! Marks frames to be regenerated. Nothing is removed.

use std::collections::BTreeMap;

use piton_core::canonical;
use serde::{Deserialize, Serialize};

use crate::bounds::METADATA_VALUE_BYTES_MAX;
use crate::context::put;
use crate::frame::FrameHead;
use crate::history::NodeRef;
use crate::rows::{RowKind, split_path};
use crate::tree::TreePath;
use crate::word::{AgentId, FrameType};
use crate::{Context, Error};

/// Reason that a head is to be regenerated.
#[derive(Serialize, Deserialize)]
struct Mark {
    agent: AgentId,
    reason: String,
}

/// True if a row is a valid mark.
pub(crate) fn is_mark(row: &[u8]) -> bool {
    serde_json::from_slice::<Mark>(row).is_ok()
}

/// Returns the mark that replaces an unreadable one, so that damage never makes a frame look fresh.
pub(crate) fn damaged_mark() -> Vec<u8> {
    let agent = "repair".parse().expect("it is a name");
    let reason = "why cannot be read any more".to_owned();
    canonical::encode(&Mark { agent, reason }).expect("it has texts only").into_vec()
}

impl Context {
    /// Marks the head of a type at a node, and returns it with its path.
    pub(crate) async fn invalidate(
        &self,
        agent: &AgentId,
        asked: &NodeRef,
        frame_type: &FrameType,
        reason: &str,
    ) -> Result<(TreePath, FrameHead), Error> {
        if reason.len() > METADATA_VALUE_BYTES_MAX {
            return Err(Error::Invalid(format!(
                "the reason has {} bytes; at most {METADATA_VALUE_BYTES_MAX}",
                reason.len()
            )));
        }
        let root = self.current().await?.root;
        let node = self.node(root, asked).await?;
        let Some(head) = self.head(&node.path, frame_type).await? else {
            let asked = format!("of type {frame_type} at {}", node.path);
            return Err(Error::FrameNotFound { asked, path: Some(node.path) });
        };
        let mark = Mark { agent: agent.clone(), reason: reason.to_owned() };
        let value = canonical::encode(&mark).expect("it has texts only").into_vec();
        let mut batch = vec![put(self.keys.typed(RowKind::Invalid, &node.path, frame_type), value)];
        // A mark changes the freshness of the node and of the syntheses above it, so both are checked again.
        batch.push(self.touch(&node.path));
        batch.extend(node.path.parent().map(|parent| self.touch(&parent)));
        self.commit(batch).await?;
        Ok((node.path, head))
    }

    /// Returns all marks with their reasons.
    pub(crate) async fn marks(&self) -> Result<BTreeMap<(TreePath, FrameType), String>, Error> {
        let mut found = BTreeMap::new();
        for row in self.rows(&self.keys.all(RowKind::Invalid)).await? {
            let place = split_path(&row.key).and_then(|(path, frame_type)| {
                Some((path, std::str::from_utf8(frame_type).ok()?.parse().ok()?))
            });
            let place =
                place.ok_or_else(|| Error::integrity("an invalidation", "its key is cut"))?;
            found.insert(place, why(&row.value)?);
        }
        Ok(found)
    }

    /// Returns the reason that the head of a type at a path is to be regenerated, if it is.
    pub(crate) async fn invalidated(
        &self,
        path: &TreePath,
        frame_type: &FrameType,
    ) -> Result<Option<String>, Error> {
        let row = self.row(&self.keys.typed(RowKind::Invalid, path, frame_type)).await?;
        row.map(|row| why(&row.value)).transpose()
    }
}

/// Returns the reason in a mark, and the agent that gave it.
fn why(row: &[u8]) -> Result<String, Error> {
    let mark: Mark = serde_json::from_slice(row)
        .map_err(|error| Error::integrity("an invalidation", error.to_string()))?;
    Ok(format!("{} ({})", mark.reason, mark.agent))
}
