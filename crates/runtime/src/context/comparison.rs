//! Comparison of two recorded trees of a project, and the frames made by the steps of a run.

use std::collections::BTreeMap;

use piton_context::Error;
use piton_context::frame::Frame;
use piton_context::history::{Differences, FrameChange, RootEntry, RootRef};
use piton_context::tree::{ChangeKind, NodeKind, TreeChange, TreePath};
use piton_context::word::{AgentId, FrameType};
use piton_core::{Envelope, NodeId, RunId};

use super::project::ProjectContext;
use crate::bounds::{CHANGES_SHOWN_MAX, DIGEST_DIGITS_SHOWN, RUN_RECORDS_MAX, cut};
use crate::provenance::{
    Became, BranchSide, FileWritten, FrameWritten, ThingComparison, ThingKind, WrittenKind,
    WrittenThings,
};
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
        is_meant: &(dyn Fn(&NodeId) -> bool + Sync),
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
    async fn made_between(&self, changes: &[FrameChange]) -> Result<WrittenFrames, Envelope> {
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

    /// Compares two recorded trees. Trees form a single line, so the older one is the common ancestor.
    pub(crate) async fn compare_trees(
        &self,
        left: &str,
        right: &str,
    ) -> Result<ThingComparison, Envelope> {
        let (left, right): (RootRef, RootRef) = (left.parse()?, right.parse()?);
        let (of_left, of_right) =
            (self.context.root(&left).await?, self.context.root(&right).await?);
        // The diff always runs from the older to the newer tree. All changes therefore belong to the side of the newer
        // one.
        let is_forward = of_left.sequence <= of_right.sequence;
        let (old, new) = if is_forward { (&left, &right) } else { (&right, &left) };
        let written = self.written_between(self.context.differences(old, new).await?).await?;
        let side = |root: &RootEntry| BranchSide { name: named(root), ..BranchSide::default() };
        let (mut left, mut right) = (side(&of_left), side(&of_right));
        let (older, newer) =
            if is_forward { (&of_left, &mut right) } else { (&of_right, &mut left) };
        newer.written = written;
        let (kind, ancestor) = (ThingKind::Tree, Some(named(older)));
        let notes = vec!["A tree keeps digests of files, not contents.".to_owned()];
        Ok(ThingComparison::of_states(kind, ancestor, left, right, notes))
    }

    /// Returns the files and frames that the newer of two trees adds or changes.
    async fn written_between(&self, found: Differences) -> Result<WrittenThings, Envelope> {
        let is_file = |change: &TreeChange| change.kind() != NodeKind::Directory;
        let changes = found.changes.into_iter().filter(is_file).collect();
        // Cut before digests are loaded: each file costs a read.
        let (mut changes, files_left_out) = cut(changes, CHANGES_SHOWN_MAX);
        for change in &mut changes {
            for side in [&mut change.old, &mut change.new].into_iter().flatten() {
                side.content = self.context.content_of(side.id).await?;
            }
        }
        let files = changes.iter().flat_map(files).collect();
        let (frames, frames_left_out) = self.made_between(&found.frames).await?;
        let keys = WrittenThings::default();
        Ok(WrittenThings { files, files_left_out, frames, frames_left_out, ..keys })
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

fn named(entry: &RootEntry) -> String {
    let root = entry.root.to_string();
    let digits = root.strip_prefix("sha256:").unwrap_or(&root);
    digits.get(..DIGEST_DIGITS_SHOWN).unwrap_or(digits).to_owned()
}

/// Converts a change into files. A rename yields two.
fn files(change: &TreeChange) -> Vec<FileWritten> {
    let file = |path: String, kind, before, after| {
        let became = Became { kind, by: None, before, after, diff: Vec::new(), left_out: 0 };
        FileWritten { path, became }
    };
    let old = change.old.as_ref().and_then(|side| side.content);
    let new = change.new.as_ref().and_then(|side| side.content);
    let path = change.path.to_string();
    match change.change {
        ChangeKind::Added => vec![file(path, WrittenKind::Added, None, new)],
        ChangeKind::Changed => vec![file(path, WrittenKind::Modified, old, new)],
        ChangeKind::Removed => vec![file(path, WrittenKind::Deleted, old, None)],
        ChangeKind::Renamed => {
            let from = change.renamed_from.as_ref().map(ToString::to_string).unwrap_or_default();
            let gone = file(from, WrittenKind::Deleted, old, None);
            vec![gone, file(path, WrittenKind::Added, None, new)]
        }
    }
}
