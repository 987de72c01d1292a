//! Frames made by the steps of a run, and files and frames that differ between two trees, for comparisons.

use std::collections::BTreeMap;

use piton_context::Error;
use piton_context::frame::Frame;
use piton_context::history::FrameChange;
use piton_context::tree::{ChangeKind, TreeChange, TreePath};
use piton_context::word::{AgentId, FrameType};
use piton_core::{Envelope, NodeId, RunId};

use super::project::ProjectContext;
use crate::bounds::{CHANGES_SHOWN_MAX, RUN_RECORDS_MAX};
use crate::provenance::{Became, FrameWritten, WrittenKind};
use crate::text_diff;

/// The frames that the steps of a run made. Those of one path are in the order of their creation.
pub(crate) struct MadeInRun {
    frames: Vec<(NodeId, Frame)>,
    /// Number of further frames left out.
    pub(crate) left_out: usize,
}

/// Frames that were written, and the number left out.
type WrittenFrames = (Vec<FrameWritten>, usize);

/// Identifies a line of frames: those of one agent and type on one node succeed each other.
type FrameLine<'a> = (&'a TreePath, &'a FrameType, &'a AgentId);

impl ProjectContext {
    /// Returns the frames that the steps of a run made.
    pub(crate) async fn made_in(&self, run: RunId) -> Result<MadeInRun, Envelope> {
        let made = self.context.frames_of_run(run, RUN_RECORDS_MAX).await?;
        // Older frames name no node, so they cannot be assigned to a side.
        let with_node = |frame: Frame| Some((frame.metadata.get("node")?.parse().ok()?, frame));
        let frames = made.frames.into_iter().filter_map(with_node).collect();
        Ok(MadeInRun { frames, left_out: made.left_out })
    }

    /// Returns the net change at some nodes: for each line of frames, the last one against the one before the first.
    pub(crate) async fn made_at(
        &self,
        made: &MadeInRun,
        is_meant: &dyn Fn(&NodeId) -> bool,
    ) -> Result<WrittenFrames, Envelope> {
        let mut spans: BTreeMap<FrameLine<'_>, (&Frame, &Frame)> = BTreeMap::new();
        for (_, frame) in made.frames.iter().filter(|(node, _)| is_meant(node)) {
            let line = (&frame.path, &frame.frame_type, &frame.agent_id);
            spans.entry(line).or_insert((frame, frame)).1 = frame;
        }
        let left_out = spans.len().saturating_sub(CHANGES_SHOWN_MAX);
        let mut written = Vec::new();
        for (first, last) in spans.into_values().take(CHANGES_SHOWN_MAX) {
            // The frame before the run's first one is the state that the run started from.
            let before = self.context.frame_before(first).await?;
            written.extend(self.frame_write(before.as_ref(), Some(last)).await?);
        }
        Ok((written, left_out))
    }

    /// Returns the frames about the differences between two trees: for each line, the newest about either side.
    pub(crate) async fn made_between(
        &self,
        changes: &[FrameChange],
    ) -> Result<WrittenFrames, Envelope> {
        let mut sides: BTreeMap<FrameLine<'_>, [Option<&FrameChange>; 2]> = BTreeMap::new();
        for change in changes {
            let line = (&change.path, &change.frame_type, &change.agent);
            // Index 0 holds the frame about the old tree, index 1 the one about the new.
            let side = usize::from(change.change == ChangeKind::Added);
            sides.entry(line).or_default()[side] = Some(change);
        }
        let left_out = sides.len().saturating_sub(CHANGES_SHOWN_MAX);
        let mut written = Vec::new();
        for sides in sides.into_values().take(CHANGES_SHOWN_MAX) {
            let mut frames = [None, None];
            for (frame, change) in frames.iter_mut().zip(sides) {
                *frame = match change {
                    Some(change) => Some(self.context.frame(change.frame).await?),
                    None => None,
                };
            }
            let [before, after] = &frames;
            written.extend(self.frame_write(before.as_ref(), after.as_ref()).await?);
        }
        Ok((written, left_out))
    }

    /// Returns the same changes, with the digests of the files on both sides.
    pub(crate) async fn with_contents(
        &self,
        mut changes: Vec<TreeChange>,
    ) -> Result<Vec<TreeChange>, Envelope> {
        for change in &mut changes {
            for side in [&mut change.old, &mut change.new].into_iter().flatten() {
                side.content = self.context.content_of(side.id).await?;
            }
        }
        Ok(changes)
    }

    /// Compares two frames of one line; `None` if there is none.
    async fn frame_write(
        &self,
        before: Option<&Frame>,
        after: Option<&Frame>,
    ) -> Result<Option<FrameWritten>, Error> {
        let Some(frame) = after.or(before) else { return Ok(None) };
        let mut contents = [None, None];
        for (content, frame) in contents.iter_mut().zip([before, after]) {
            *content = match frame {
                Some(frame) => Some(self.context.content(frame).await?),
                None => None,
            };
        }
        let [old, new] = &contents;
        let (diff, left_out) = text_diff::contents(old.as_deref(), new.as_deref());
        let became = Became {
            kind: WrittenKind::between(before.is_some(), after.is_some()),
            by: Some(frame.agent_id.to_string()),
            before: before.map(|frame| frame.id.digest()),
            after: after.map(|frame| frame.id.digest()),
            diff,
            left_out,
        };
        let (path, frame_type) = (frame.path.to_string(), frame.frame_type.to_string());
        Ok(Some(FrameWritten { path, frame_type, became }))
    }
}
