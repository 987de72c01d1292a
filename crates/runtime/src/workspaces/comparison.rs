//! Comparison of two overlays, and writes of a run's steps, for comparisons.

use std::collections::BTreeMap;

use piton_core::{Digest, Envelope, NodeId, RunId};
use piton_workspaces::audit::{AuditOutcome, AuditRecord};
use piton_workspaces::config::OpenedOverlay;
use piton_workspaces::overlay::{DifferenceKind, OverlayDifference};
use piton_workspaces::path::LogicalPath;

use super::file_world::FileWorld;
use super::review::overlay_error;
use crate::bounds::{CHANGES_SHOWN_MAX, FILE_DIFF_BYTES_MAX, RUN_RECORDS_MAX, cut};
use crate::provenance::{
    Became, BranchSide, FileWritten, ThingComparison, ThingKind, WrittenKind, WrittenThings,
};
use crate::text_diff;

impl FileWorld {
    /// Compares two overlays: the changes of each to the Workspace below it.
    pub(crate) async fn compare_overlays(
        &self,
        left: &str,
        right: &str,
    ) -> Result<ThingComparison, Envelope> {
        let (left, right) = (self.overlay(left)?, self.overlay(right)?);
        let ancestor = (left.over == right.over).then(|| left.over.to_string());
        let mut notes = Vec::new();
        if ancestor.is_none() {
            notes.push(format!(
                "They lie over different Workspaces: {} is shown against {}, {} against {}.",
                left.prefix, left.over, right.prefix, right.over
            ));
        }
        let (left, right) = (self.branch(left).await?, self.branch(right).await?);
        Ok(ThingComparison::of_states(ThingKind::Overlay, ancestor, left, right, notes))
    }

    /// Returns the changes of an overlay to the Workspace below it.
    async fn branch(&self, overlay: &OpenedOverlay) -> Result<BranchSide, Envelope> {
        let mut differences = overlay.store.diff().await.map_err(overlay_error(overlay))?;
        // Directories have no content to compare.
        differences.retain(|one| one.kind != DifferenceKind::Directory);
        let (differences, files_left_out) = cut(differences, CHANGES_SHOWN_MAX);
        let mut files = Vec::new();
        for one in &differences {
            files.push(self.changed(overlay, one).await?);
        }
        let written = WrittenThings { files, files_left_out, ..WrittenThings::default() };
        Ok(BranchSide { name: overlay.prefix.to_string(), written, ..BranchSide::default() })
    }

    async fn changed(
        &self,
        overlay: &OpenedOverlay,
        one: &OverlayDifference,
    ) -> Result<FileWritten, Envelope> {
        let path = overlay.prefix.join(&one.path);
        let last = self.ledgers.last(&self.workspaces, &path).await.ok().flatten();
        let (below, above) = overlay.store.contents(one).await.map_err(overlay_error(overlay))?;
        let (diff, left_out) = text_diff::contents(below.as_deref(), above.as_deref());
        let became = Became {
            kind: match one.kind {
                DifferenceKind::Added | DifferenceKind::Directory => WrittenKind::Added,
                DifferenceKind::Modified => WrittenKind::Modified,
                DifferenceKind::Deleted => WrittenKind::Deleted,
            },
            by: last.map(|record| record.intent.actor.agent),
            before: one.base,
            after: one.now,
            diff,
            left_out,
        };
        Ok(FileWritten { path: one.path.to_string(), became })
    }

    /// Returns the changes that the steps of a run made to files, oldest first, and the number of later records left
    /// out.
    pub(crate) async fn written_in(
        &self,
        run: RunId,
    ) -> Result<(Vec<AuditRecord>, usize), Envelope> {
        let (mut records, left_out) =
            self.ledgers.of_run(&self.workspaces, &run.to_string(), RUN_RECORDS_MAX).await?;
        // Failed and unsettled changes are no part of the result.
        records.retain(|record| record.outcome == AuditOutcome::Done);
        Ok((records, left_out))
    }

    /// Returns the net change at some nodes, file by file: from the state before the first change to the state after
    /// the last.
    pub(crate) async fn net(
        &self,
        records: &[AuditRecord],
        is_meant: &(dyn Fn(&NodeId) -> bool + Sync),
    ) -> Vec<FileWritten> {
        let mut spans: BTreeMap<&LogicalPath, Span> = BTreeMap::new();
        let node = |record: &AuditRecord| record.intent.actor.node.as_ref()?.parse::<NodeId>().ok();
        for record in records.iter().filter(|record| node(record).is_some_and(|at| is_meant(&at))) {
            let intent = &record.intent;
            let by = &intent.actor.agent;
            match &intent.target {
                None => extend(&mut spans, &intent.path, intent.before.digest(), intent.after, by),
                // A move removes the source and creates the target, so it extends two spans.
                Some(target) => {
                    extend(&mut spans, &intent.path, intent.before.digest(), None, by);
                    extend(&mut spans, target, None, intent.after, by);
                }
            }
        }
        let mut files = Vec::new();
        // A file that ended up as it began has no net change.
        for (path, span) in spans.into_iter().filter(|(_, span)| span.before != span.after) {
            files.push(self.net_change(path, span).await);
        }
        files
    }

    async fn net_change(&self, path: &LogicalPath, span: Span) -> FileWritten {
        let Span { before, after, by } = span;
        // Contents are shown only if Piton still holds both sides: the current file, and the one below an overlay.
        // Records keep only digests, so the digests must match.
        let now = match self.workspaces.find(path) {
            Some((workspace, at)) => workspace.load(at, FILE_DIFF_BYTES_MAX as u64).await,
            None => None,
        };
        let now = now.filter(|found| Some(found.digest) == after).map(|found| found.bytes);
        let below = match self.overlays.iter().find_map(|one| Some((one, path.below(&one.prefix)?)))
        {
            Some((overlay, at)) => overlay.store.load_below(at, FILE_DIFF_BYTES_MAX as u64).await,
            None => None,
        };
        let old = below.filter(|found| Some(found.digest) == before).map(|found| found.bytes);
        let is_held = (before.is_none() || old.is_some()) && (after.is_none() || now.is_some());
        let (diff, left_out) = if is_held {
            text_diff::contents(old.as_deref(), now.as_deref())
        } else {
            (Vec::new(), 0)
        };
        let kind = WrittenKind::between(before.is_some(), after.is_some());
        let became = Became { kind, by: Some(by), before, after, diff, left_out };
        FileWritten { path: path.to_string(), became }
    }
}

/// The state of a file before the first change and after the last.
struct Span {
    before: Option<Digest>,
    after: Option<Digest>,
    by: String,
}

fn extend<'a>(
    spans: &mut BTreeMap<&'a LogicalPath, Span>,
    path: &'a LogicalPath,
    before: Option<Digest>,
    after: Option<Digest>,
    by: &str,
) {
    // Only the first change sets `before`; each change sets `after`.
    let span = spans.entry(path).or_insert_with(|| Span { before, after, by: String::new() });
    span.after = after;
    by.clone_into(&mut span.by);
}
