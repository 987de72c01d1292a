//! A node with the frames that a view selects.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use piton_core::Digest;
use piton_store::port::BoxFuture;
use piton_store::port::TableEntry;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Relation, View, ViewedFrame};
use crate::frame::{FrameSet, Judge};
use crate::history::{FoundNode, NodeRecord, NodeRef, RootRef, old_path};
use crate::rows::{RowKind, split_path};
use crate::tree::TreePath;
use crate::{Context, Error};

/// A node and its frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeContext {
    #[serde(flatten)]
    pub node: NodeRecord,
    /// Set when the node is in the current tree.
    pub is_current: bool,
    /// The frames that the view selects.
    pub frames: Vec<ViewedFrame>,
    /// Number of all frames of the path.
    pub frame_count: u64,
    /// Root digest of the set of these frames.
    pub frame_set_root: Digest,
    /// Path before the file was renamed, if that path has frames. Its newest frames went along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<TreePath>,
    /// A path that is gone, has frames, and may be the old path of the file: it is one of several with the same
    /// content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_be_from: Option<TreePath>,
    /// Current path of the node, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<TreePath>,
}

impl NodeContext {
    /// Describes the renames: former, possible former, and current paths.
    pub fn about_renames(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(from) = &self.renamed_from {
            lines.push(format!("It was {from} before, and its newest frames came along."));
        }
        if let Some(from) = &self.may_be_from {
            lines.push(format!(
                "{from} is gone, had the same content as several files that are new, and has frames. If this is it: \
                 piton context adopt {from} {}",
                self.node.path
            ));
        }
        if let Some(to) = &self.moved_to {
            lines.push(format!("It is {to} now."));
        }
        lines
    }

    /// Renders the reply as text.
    pub fn text(&self) -> String {
        let NodeRecord { path, kind, size, children, children_left_out, .. } = &self.node;
        let mut text = format!("{path} is a {kind} of {size} bytes.");
        if !self.is_current {
            text.push_str(" It is not in the current tree.");
        }
        if !children.is_empty() {
            let names: Vec<String> = NodeRecord::first_names(children).collect();
            let _ = write!(text, " It holds: {}", names.join(", "));
            if *children_left_out > 0 {
                let _ = write!(text, ", and {children_left_out} more");
            }
            text.push('.');
        }
        for line in self.about_renames() {
            let _ = write!(text, "\n{line}");
        }
        let (shown, all) = (self.frames.len(), self.frame_count);
        let _ = write!(text, "\n{shown} of its {all} frames:");
        for frame in &self.frames {
            let _ = write!(text, "\n\n### {}", frame.line());
            if frame.content.is_some() {
                let _ = write!(text, "\n{}", frame.text().trim_end());
            }
        }
        text
    }
}

impl Context {
    /// Returns a node of a recorded tree, or any node by its id, with the frames that a view selects: the node as it
    /// was, and the frames as they are now.
    pub(crate) fn get_node_in<'a>(
        &'a self,
        tree: &'a RootRef,
        asked: &'a NodeRef,
        view: &'a View,
    ) -> BoxFuture<'a, Result<NodeContext, Error>> {
        Box::pin(async move {
            let current = self.current().await?.root;
            let root = match tree {
                RootRef::Current => current,
                past => self.root(past).await?.root,
            };
            let found = match self.find(root, asked).await {
                // A path that is gone may still have frames, which the caller can read.
                Err(error @ Error::NodeNotFound { .. }) if root == current => {
                    self.removed_node(asked).await?.ok_or(error)
                }
                found => found,
            };
            let FoundNode { node, there } = found?;
            let mut judge = Judge::new(self, current);
            if root == current {
                // Saves looking up the path again.
                judge.knows(&node.path, there);
            }
            let now = judge.id_at(&node.path).await?;
            let mut frames = self.viewed(&mut judge, &node.path, Relation::Own, view).await?;
            view.sort(&mut frames, &self.registry)?;
            frames.truncate(view.max_frames);
            let rows = [RowKind::Set, RowKind::Renamed, RowKind::Candidate];
            let rows = rows.map(|row| self.keys.at(row, &node.path).into());
            let [set, renamed, candidate] = self.rows_of(rows).await?;
            let set = FrameSet::of_row(&node.path, set.as_ref())?.root();
            Ok(NodeContext {
                is_current: now == Some(node.id),
                frames,
                frame_count: set.count,
                frame_set_root: set.root,
                renamed_from: self.renamed_from(renamed).await?,
                // A candidate is only of interest while the file has no frames of its own.
                may_be_from: self.renamed_from(candidate.filter(|_| set.count == 0)).await?,
                moved_to: match now {
                    None => self.moved_to(current, &node.path).await?,
                    Some(_) => None,
                },
                node,
            })
        })
    }

    /// Returns the path of a node of the current tree, or of one that is gone and has frames.
    pub(crate) async fn path_of(&self, node: &NodeRef) -> Result<TreePath, Error> {
        let nothing = View { max_frames: 0, ..View::default() };
        Ok(self.get_node_in(&RootRef::Current, node, &nothing).await?.node.path)
    }

    /// Returns the last node at a path that is gone, if the path has frames.
    async fn removed_node(&self, asked: &NodeRef) -> Result<Option<FoundNode>, Error> {
        let Some(path) = asked.path() else { return Ok(None) };
        let frames = self.frames_of(path).await?;
        let newest = frames.into_iter().map(|(frame, _)| frame).max_by_key(|frame| frame.sequence);
        let Some(frame) = newest else { return Ok(None) };
        let body = self.body(frame.node_id).await?;
        Ok(body.map(|(_, body)| {
            let node = NodeRecord::new(frame.node_id, path.clone(), body, None);
            FoundNode { node, there: None }
        }))
    }

    /// Returns the old path in a row about a rename, if that path has frames.
    async fn renamed_from(&self, row: Option<TableEntry>) -> Result<Option<TreePath>, Error> {
        let Some(row) = row else {
            return Ok(None);
        };
        let path = old_path(&row.value)?;
        let has_frames = self.frame_set(&path).await?.count > 0;
        Ok(has_frames.then_some(path))
    }

    /// Returns the frames of a path that pass the filters of a view, in no particular order.
    pub(super) async fn viewed(
        &self,
        judge: &mut Judge<'_>,
        path: &TreePath,
        relation: Relation,
        view: &View,
    ) -> Result<Vec<ViewedFrame>, Error> {
        if view.max_frames == 0 {
            return Ok(Vec::new());
        }
        let frames = self.frames_of(path).await?;
        if frames.is_empty() {
            return Ok(Vec::new());
        }
        let heads = self.heads(path).await?;
        let moved = self.moved(path).await?;
        let mut viewed = Vec::with_capacity(frames.len());
        for (frame, inline) in frames {
            let is_head = heads.iter().any(|head| head.frame == frame.id);
            let recency = moved.get(&frame.index).copied().unwrap_or(frame.sequence);
            // Cheap filters first: judging freshness may read many rows.
            if !view.takes(&frame, is_head, recency) {
                continue;
            }
            let freshness = judge.judge(&frame).await?;
            if view.fresh.is_some_and(|wanted| wanted != freshness.is_fresh()) {
                continue;
            }
            let content =
                if view.contents { Some(self.content_from(&frame, inline).await?) } else { None };
            let frame = ViewedFrame::new(frame, freshness, is_head, recency, relation);
            viewed.push(ViewedFrame { content, ..frame });
        }
        Ok(viewed)
    }

    /// Returns the numbers of the appends that last made frames of a path the head again, by frame index.
    async fn moved(&self, path: &TreePath) -> Result<BTreeMap<u64, u64>, Error> {
        let rows = self.rows(&self.keys.at(RowKind::Moved, path)).await?;
        let pair = |row: &TableEntry| {
            let (_, place) = split_path(&row.key)?;
            let place = u64::from_be_bytes(place.try_into().ok()?);
            Some((place, u64::from_be_bytes(row.value.as_slice().try_into().ok()?)))
        };
        let damaged = || Error::integrity("when a frame became the head", "its row is cut");
        rows.iter().map(|row| pair(row).ok_or_else(damaged)).collect()
    }
}
