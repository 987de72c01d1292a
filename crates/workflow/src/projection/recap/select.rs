//! Selects the notes of a recap.

use piton_core::{NodeId, OutputId, SnapshotRef};

use crate::bounds::{RECAP_BYTES_MAX, RECAP_STEPS_MAX};
use crate::projection::{RecordedOutput, RunGraph, RunNode, RunState};
use crate::topology::NodeKind;

/// A node with notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted<'a> {
    pub node: NodeId,
    /// The snapshot that holds the title of its step.
    pub snapshot: SnapshotRef,
    /// The output that contains its notes.
    pub output: OutputId,
    pub notes: &'a str,
    /// Number of steps or branches before it in its part.
    pub(super) before: usize,
    /// Set when a person refused the step.
    pub(super) is_refused: bool,
}

/// Notes that are shown together.
#[derive(Clone, Debug, Default)]
pub(super) struct RecapGroup<'a> {
    /// Notes, oldest first.
    pub(super) notes: Vec<Noted<'a>>,
    /// Set when there are older ones.
    pub(super) has_more: bool,
    /// Number of steps or branches that the part stands for.
    pub(super) count: usize,
}

/// The notes that a recap of a node can show.
#[derive(Clone, Debug)]
pub struct RecapDraft<'a> {
    pub(super) way: RecapGroup<'a>,
    pub(super) bookmarks: RecapGroup<'a>,
    pub(super) after: RecapGroup<'a>,
    pub(super) branches: RecapGroup<'a>,
}

impl<'a> RecapDraft<'a> {
    /// Selects the notes for a recap of `node`. Empty for an unknown node.
    pub fn select(run: &'a RunState, node: NodeId) -> Self {
        let (mut way, mut after, mut branches) =
            <(RecapGroup<'_>, RecapGroup<'_>, RecapGroup<'_>)>::default();
        let mut bookmarks = RecapGroup::default();
        if let Some(node) = run.graph.node(node) {
            bookmarks = RecapGroup::bookmarks(run, node);
            let was_left = !node.is_tip() && node.kind != NodeKind::Checkpoint;
            way = RecapGroup::between(run, None, node, !was_left);
            if was_left && let Some(tip) = followed_tip(&run.graph, node) {
                after = RecapGroup::between(run, Some(node), tip, true);
                branches = RecapGroup::other_branches(run, node, tip);
            }
        }
        for part in [&mut way, &mut bookmarks, &mut after, &mut branches] {
            for noted in &mut part.notes {
                noted.is_refused = run.is_refused(noted.node);
            }
        }
        Self { way, bookmarks, after, branches }
    }

    /// Iterates over the nodes whose steps [`RecapDraft::render`] asks for.
    pub fn nodes(&self) -> impl Iterator<Item = &Noted<'a>> {
        [&self.way, &self.bookmarks, &self.after, &self.branches]
            .into_iter()
            .flat_map(|part| &part.notes)
    }
}

/// Returns the tip that the run follows below `node`: the preferred one, else the newest.
fn followed_tip<'a>(graph: &'a RunGraph, node: &RunNode) -> Option<&'a RunNode> {
    let preferred = graph.preferred_tip().filter(|tip| graph.descends(tip.id, node.id));
    preferred.or_else(|| graph.newest_tip_below(node))
}

impl<'a> RecapGroup<'a> {
    /// Selects the notes on the way from `top`, or from the root, down to `last`. The notes of `last` itself are
    /// included only `with_last`: an output submitted at a step that the run has left belongs to what came after it.
    fn between(run: &'a RunState, top: Option<&RunNode>, last: &RunNode, with_last: bool) -> Self {
        let top_depth = top.map_or(0, RunNode::depth);
        let count = last.depth() + usize::from(with_last) - top_depth;
        let mut part = Self { count, ..Self::default() };
        let mut fill = Fill::default();
        let is_told = |(node, _): &(&RunNode, &RecordedOutput)| with_last || node.id != last.id;
        for (node, notes) in notes_up(run, top_depth, last).filter(is_told) {
            if fill.is_full() {
                part.has_more = true;
                break;
            }
            part.notes.extend(fill.take(node, notes, node.depth() - top_depth));
        }
        part.notes.reverse();
        part
    }

    /// Selects the notes of the bookmarks on `node`.
    fn bookmarks(run: &'a RunState, node: &RunNode) -> Self {
        let noted = |child: &'a RunNode| Some((child, run.notes_toward(child, None)?));
        let node = run.graph.node(node.id).into_iter();
        let bookmarks = node.flat_map(|node| run.bookmarks_on(node));
        Self::newest(bookmarks.filter_map(noted).collect())
    }

    /// Selects the newest notes of every branch below `top` except the one that ends in `followed`.
    fn other_branches(run: &'a RunState, top: &RunNode, followed: &RunNode) -> Self {
        let is_other = |tip: &&RunNode| tip.id != followed.id && run.graph.descends(tip.id, top.id);
        let newest = |tip: &'a RunNode| notes_up(run, top.depth(), tip).next();
        Self::newest(run.graph.tips().filter(is_other).filter_map(newest).collect())
    }

    /// Selects as many of `nodes` as fit, from the newest on.
    fn newest(nodes: Vec<(&RunNode, &'a RecordedOutput)>) -> Self {
        let mut part = Self { count: nodes.len(), ..Self::default() };
        let mut fill = Fill::default();
        for (before, (node, notes)) in nodes.into_iter().enumerate().rev() {
            if fill.is_full() {
                part.has_more = true;
                break;
            }
            part.notes.extend(fill.take(node, notes, before));
        }
        part.notes.reverse();
        part
    }
}

/// Iterates from `last` upward over the nodes that have notes toward it, down to depth `depth_min`.
fn notes_up<'a>(
    run: &'a RunState,
    depth_min: usize,
    last: &RunNode,
) -> impl Iterator<Item = (&'a RunNode, &'a RecordedOutput)> {
    run.way_up(last.id)
        .take_while(move |(node, _)| node.depth() >= depth_min)
        .filter_map(|(node, next)| Some((node, run.notes_toward(node, next)?)))
}

/// The amount selected so far.
#[derive(Default)]
struct Fill {
    steps: usize,
    bytes: usize,
}

impl Fill {
    fn is_full(&self) -> bool {
        self.steps >= RECAP_STEPS_MAX || self.bytes > RECAP_BYTES_MAX
    }

    fn take<'a>(
        &mut self,
        node: &RunNode,
        output: &'a RecordedOutput,
        before: usize,
    ) -> Option<Noted<'a>> {
        let notes = output.notes()?;
        self.steps += 1;
        self.bytes += notes.len();
        let (node, snapshot) = (node.id, node.snapshot);
        Some(Noted { node, snapshot, output: output.id, notes, before, is_refused: false })
    }
}
