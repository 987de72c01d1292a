//! A run as people see it: step by step, or as a graph.

use std::collections::HashMap;

use piton_core::{Envelope, NodeId, SnapshotRef, shorten};
use piton_workflow::event::{AdvanceOutcome, Blocker, Preferences, Resolution};
use piton_workflow::projection::{
    Gap, RecordedOutput, RunNode, RunState, SideRecord, StepPlace, headline,
};
use piton_workflow::{Autonomy, NodeKind};

use super::loaded_session::LoadedSession;
use crate::bounds::{HEADLINE_BYTES_MAX, STEPS_SHOWN_MAX};
use crate::reply::{
    ArtifactShown, BlockShown, BookmarkShown, GapShown, RunShown, StepShown, TreeNode,
};

/// Steps of nodes, keyed by the snapshots of the nodes.
pub(super) type Steps = HashMap<SnapshotRef, StepPlace>;

/// Blockers and gaps on the nodes of a run.
struct NodeTroubles<'a> {
    blocks: HashMap<NodeId, Vec<&'a [Blocker]>>,
    gaps: HashMap<NodeId, Vec<&'a Gap>>,
}

impl<'a> NodeTroubles<'a> {
    fn of(run: &'a RunState) -> Self {
        let (mut blocks, mut gaps) = (HashMap::new(), HashMap::new());
        for (node, attempt) in run.advances.all() {
            if let AdvanceOutcome::Blocked { blockers } = &attempt.outcome {
                blocks.entry(node).or_insert_with(Vec::new).push(blockers.blockers());
            }
        }
        // A record that resolves another one is not a gap itself, and neither is a person's decision.
        let missing = |gap: &&Gap| {
            matches!(gap.record.resolution, Resolution::Unresolved {}) && !gap.is_of_person()
        };
        for gap in run.gaps.all().iter().filter(missing) {
            gaps.entry(gap.node).or_insert_with(Vec::new).push(gap);
        }
        Self { blocks, gaps }
    }

    fn blocks(&self, node: NodeId) -> &[&'a [Blocker]] {
        self.blocks.get(&node).map_or(&[], Vec::as_slice)
    }

    fn gaps(&self, node: NodeId) -> &[&'a Gap] {
        self.gaps.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// Returns a run with the steps on the way to `node`, or to its preferred tip; `None` if the run has no node.
pub(super) async fn show(
    reading: &LoadedSession,
    run: &RunState,
    node: Option<NodeId>,
) -> Result<Option<RunShown>, Envelope> {
    let (Some(summary), Some(tip)) = (reading.summary(run).await?, run.graph.preferred_tip())
    else {
        return Ok(None);
    };
    let node = node.filter(|node| *node != tip.id);
    let end = node.unwrap_or(tip.id);
    let mut path: Vec<&RunNode> = run.graph.ancestry(end).collect();
    path.reverse();
    let left_out = path.len().saturating_sub(STEPS_SHOWN_MAX);
    // The newest steps are kept.
    let path = &path[left_out..];
    let steps = reading.steps(run, path.iter().copied()).await?;
    let trouble = NodeTroubles::of(run);
    let preferences = run.preferences.effective(end);
    let block =
        |blocker: &Blocker| BlockShown { code: blocker.code, message: blocker.message.to_string() };
    let gap = |gap: &&Gap| GapShown {
        severity: gap.record.severity,
        summary: gap.record.summary.to_string(),
        is_open: gap.is_open(),
    };
    let mut shown = Vec::with_capacity(path.len());
    // Newest first: the number of artifacts read is bounded, and the recent ones matter most.
    for (place, node) in path.iter().enumerate().rev() {
        let next = path.get(place + 1).copied();
        let mut bookmarked = Vec::new();
        for bookmark in run.bookmarks_on(node) {
            let artifacts = artifacts(reading, run, bookmark, None).await;
            let notes = run.notes_toward(bookmark, None).and_then(RecordedOutput::notes);
            if notes.is_some() || !artifacts.is_empty() {
                let (node_id, at) = (bookmark.id, reading.time_of(bookmark.created));
                let notes = notes.map(str::to_owned);
                bookmarked.push(BookmarkShown { node_id, at, notes, artifacts });
            }
        }
        let notes = run.notes_toward(node, next).and_then(RecordedOutput::notes);
        shown.push(StepShown {
            node_id: node.id,
            title: steps.get(&node.snapshot).map(|place| place.title.as_str().to_owned()),
            notes: notes.map(str::to_owned),
            artifacts: artifacts(reading, run, node, next).await,
            records: run.side_records_toward(node, next).flat_map(SideRecord::lines).collect(),
            decisions: reading.decisions(run, node.id),
            blocks: trouble.blocks(node.id).iter().copied().flatten().map(block).collect(),
            gaps: trouble.gaps(node.id).iter().map(gap).collect(),
            bookmarks: run.bookmarks_on(node).count(),
            bookmarked,
        });
    }
    shown.reverse();
    Ok(Some(RunShown {
        summary,
        node_id: node,
        preferences: preferences.unwrap_or(Preferences::preset(Autonomy::Guided)),
        steps: shown,
        left_out,
    }))
}

async fn artifacts(
    reading: &LoadedSession,
    run: &RunState,
    node: &RunNode,
    next: Option<&RunNode>,
) -> Vec<ArtifactShown> {
    let mut artifacts = Vec::new();
    for output in run.outputs_toward(node, next) {
        artifacts.extend(reading.artifact(output).await);
    }
    artifacts
}

/// Returns the nodes of a run in the order of their creation.
pub(super) fn draw(run: &RunState, steps: &Steps) -> Vec<TreeNode> {
    let tip = run.graph.preferred_tip().map(|tip| tip.id);
    // On the path that the run follows, a node shows the notes that led to the next one. Elsewhere, it shows the last
    // notes submitted.
    let way = tip.into_iter().flat_map(|tip| run.way_up(tip));
    let path: HashMap<NodeId, Option<&RunNode>> = way.map(|(node, next)| (node.id, next)).collect();
    let is_step = |node: &&RunNode| node.kind == NodeKind::Step;
    // Only step children count: a bookmark is no fork.
    let is_forked = |node: &RunNode| run.graph.children(node).filter(is_step).nth(1).is_some();
    let notes = |node: &RunNode| {
        let next = path.get(&node.id).copied().flatten();
        run.notes_toward(node, next).and_then(RecordedOutput::notes)
    };
    let branch_notes = |node: &RunNode| {
        let parent = run.graph.parent(node).filter(|parent| is_step(&node) && is_forked(parent))?;
        run.notes_toward(parent, Some(node)).and_then(RecordedOutput::notes)
    };
    let trouble = NodeTroubles::of(run);
    let short = |line: &str| shorten(line, HEADLINE_BYTES_MAX).into_owned();
    let node = |node: &RunNode| TreeNode {
        node_id: node.id,
        parent_id: run.graph.parent(node).map(|parent| parent.id),
        kind: node.kind,
        cause: node.cause,
        step: steps.get(&node.snapshot).map(|place| place.number),
        title: steps.get(&node.snapshot).map(|place| place.title.as_str().to_owned()),
        headline: notes(node).and_then(headline).map(short),
        branch_headline: branch_notes(node).and_then(headline).map(short),
        blocked: trouble.blocks(node.id).len(),
        open_gaps: run.gaps.open_on(node.id).count(),
        is_tip: node.is_tip(),
        is_preferred_tip: tip == Some(node.id),
        is_on_path: path.contains_key(&node.id),
        created: node.created,
    };
    run.graph.nodes().map(node).collect()
}
