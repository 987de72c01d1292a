//! What an overlay changed, and what the steps of a run wrote, as comparisons tell it.

use std::collections::BTreeMap;

use piton_core::{Digest, Envelope, NodeId, RunId};
use piton_workspaces::audit::{Outcome, Record};
use piton_workspaces::config::OpenedOverlay;
use piton_workspaces::overlay::{Difference, DifferenceKind};
use piton_workspaces::path::LogicalPath;
use piton_workspaces::store::Before;

use super::review::told;
use super::world::FileWorld;
use crate::bounds::{CHANGES_SHOWN_MAX, FILE_DIFF_BYTES_MAX, RUN_RECORDS_MAX};
use crate::lineage::{FileWritten, WrittenKind};
use crate::text_diff::{self, DiffLine};

/// What an overlay changed.
pub(crate) struct OverlayBranch {
    pub(crate) overlay: String,
    pub(crate) over: String,
    pub(crate) files: Vec<FileWritten>,
    pub(crate) left_out: usize,
}

impl FileWorld {
    /// What an overlay changed in what it lies over.
    pub(crate) async fn branch(&self, prefix: &str) -> Result<OverlayBranch, Envelope> {
        let overlay = self.overlay(prefix)?;
        let mut differences = overlay.store.diff().await.map_err(told(overlay))?;
        differences.retain(|one| one.kind != DifferenceKind::Directory);
        let left_out = differences.len().saturating_sub(CHANGES_SHOWN_MAX);
        let mut files = Vec::new();
        for one in differences.iter().take(CHANGES_SHOWN_MAX) {
            files.push(self.changed(overlay, one).await?);
        }
        let (overlay, over) = (overlay.prefix.to_string(), overlay.over.to_string());
        Ok(OverlayBranch { overlay, over, files, left_out })
    }

    async fn changed(
        &self,
        overlay: &OpenedOverlay,
        one: &Difference,
    ) -> Result<FileWritten, Envelope> {
        let path = overlay.prefix.join(&one.path);
        let blame = self.ledgers.blame(&self.workspaces, &path).await;
        let last = blame.ok().and_then(|blame| blame.records.into_iter().next_back());
        let (below, above) = overlay.store.contents(one).await.map_err(told(overlay))?;
        let (diff, left_out) = compared(below.as_deref(), above.as_deref());
        Ok(FileWritten {
            path: one.path.to_string(),
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
        })
    }

    /// What the steps of a run did to files, the oldest first.
    pub(crate) async fn written_in(&self, run: RunId) -> Result<Vec<Record>, Envelope> {
        let found = self.ledgers.of_run(&run.to_string(), RUN_RECORDS_MAX).await;
        let (mut records, _) = found.map_err(|error| error.envelope())?;
        records.retain(|record| record.outcome == Outcome::Done);
        Ok(records)
    }

    /// What came of it at some nodes, file by file: what each was before the first change and is after the last.
    pub(crate) async fn net(
        &self,
        records: &[Record],
        is_meant: &dyn Fn(&NodeId) -> bool,
    ) -> Vec<FileWritten> {
        let mut spans: BTreeMap<&LogicalPath, Span> = BTreeMap::new();
        let node = |record: &Record| record.intent.actor.node.as_ref()?.parse::<NodeId>().ok();
        for record in records.iter().filter(|record| node(record).is_some_and(|at| is_meant(&at))) {
            let intent = &record.intent;
            let by = &intent.actor.agent;
            match &intent.target {
                None => extend(&mut spans, &intent.path, before(&intent.before), intent.after, by),
                Some(target) => {
                    extend(&mut spans, &intent.path, before(&intent.before), None, by);
                    extend(&mut spans, target, None, intent.after, by);
                }
            }
        }
        let mut files = Vec::new();
        for (path, span) in spans.into_iter().filter(|(_, span)| span.before != span.after) {
            files.push(self.span_told(path, span).await);
        }
        files
    }

    async fn span_told(&self, path: &LogicalPath, span: Span) -> FileWritten {
        let Span { before, after, by } = span;
        // Contents are told only if Piton still holds both: what is there now, and below an overlay.
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
        let (diff, left_out) =
            if is_held { compared(old.as_deref(), now.as_deref()) } else { (Vec::new(), 0) };
        let kind = match (before, after) {
            (None, _) => WrittenKind::Added,
            (Some(_), Some(_)) => WrittenKind::Modified,
            (Some(_), None) => WrittenKind::Deleted,
        };
        FileWritten { path: path.to_string(), kind, by: Some(by), before, after, diff, left_out }
    }
}

/// What a file was before the first change, and is after the last.
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
    let span = spans.entry(path).or_insert_with(|| Span { before, after, by: String::new() });
    span.after = after;
    by.clone_into(&mut span.by);
}

fn before(before: &Before) -> Option<Digest> {
    match before {
        Before::File(digest) => *digest,
        Before::Nothing | Before::Directory => None,
    }
}

/// Two contents line by line; nothing if one is no text, or too long.
fn compared(old: Option<&[u8]>, new: Option<&[u8]>) -> (Vec<DiffLine>, usize) {
    let text = |content: Option<&[u8]>| {
        let content = content.unwrap_or_default();
        (content.len() <= FILE_DIFF_BYTES_MAX)
            .then(|| str::from_utf8(content).ok().map(str::to_owned))
    };
    match (text(old).flatten(), text(new).flatten()) {
        (Some(old), Some(new)) => text_diff::lines(&old, &new),
        _ => (Vec::new(), 0),
    }
}
