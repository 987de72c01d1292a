//! Which notes a recap tells.

use piton_core::{NodeId, SnapshotRef};

use super::super::{
    graph::{RunGraph, RunNode},
    run_state::RunState,
};
use crate::{
    bounds::{RECAP_BYTES_MAX, RECAP_STEPS_MAX},
    topology::NodeKind,
};

/// A node with notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted<'a> {
    /// The node.
    pub node: NodeId,
    /// Where the title of its step is found.
    pub snapshot: SnapshotRef,
    /// Its notes.
    pub notes: &'a str,
    /// How many steps or branches come before it in its part.
    pub(super) before: usize,
}

/// Notes that are told together.
#[derive(Clone, Debug, Default)]
pub(super) struct Part<'a> {
    /// Oldest first.
    pub(super) notes: Vec<Noted<'a>>,
    /// Whether there are older ones.
    pub(super) has_more: bool,
    /// How many steps or branches the part stands for.
    pub(super) count: usize,
}

/// What could be told about a node.
#[derive(Clone, Debug)]
pub struct Recap<'a> {
    pub(super) way: Part<'a>,
    pub(super) bookmarks: Part<'a>,
    pub(super) after: Part<'a>,
    pub(super) branches: Part<'a>,
}

impl<'a> Recap<'a> {
    /// Chooses what could be told about `node`; nothing for an unknown node.
    pub fn select(run: &'a RunState, node: NodeId) -> Self {
        let (mut way, mut after, mut branches) = <(Part<'_>, Part<'_>, Part<'_>)>::default();
        let mut bookmarks = Part::default();
        if let Some(node) = run.graph.node(node) {
            bookmarks = Part::bookmarks(run, node);
            let was_left = !node.is_tip() && node.kind != NodeKind::Checkpoint;
            let last = if was_left { run.graph.parent(node) } else { Some(node) };
            way = last.map(|last| Part::between(run, None, last)).unwrap_or_default();
            if was_left && let Some(tip) = followed_tip(&run.graph, node) {
                after = Part::between(run, Some(node), tip);
                branches = Part::other_branches(run, node, tip);
            }
        }
        Self { way, bookmarks, after, branches }
    }

    /// The nodes whose steps [`Recap::render`] asks for.
    pub fn nodes(&self) -> impl Iterator<Item = &Noted<'a>> {
        [&self.way, &self.bookmarks, &self.after, &self.branches]
            .into_iter()
            .flat_map(|part| &part.notes)
    }
}

/// The tip that the run follows below `node`: the preferred one, else the newest.
fn followed_tip<'a>(graph: &'a RunGraph, node: &RunNode) -> Option<&'a RunNode> {
    let preferred = graph.preferred_tip().filter(|tip| graph.descends(tip.id, node.id));
    preferred.or_else(|| graph.newest_tip_below(node))
}

impl<'a> Part<'a> {
    /// The notes on the way from `top`, or the root, down to `last`, both included.
    fn between(run: &'a RunState, top: Option<&RunNode>, last: &RunNode) -> Self {
        let top_depth = top.map_or(0, RunNode::depth);
        let mut part = Self { count: last.depth() + 1 - top_depth, ..Self::default() };
        let mut next = Some(last);
        let mut fill = Fill::default();
        while let Some(from) = next {
            let Some(noted) = noted_below(run, top_depth, from) else { break };
            if fill.is_full() {
                part.has_more = true;
                break;
            }
            let before = noted.depth() - top_depth;
            part.notes.extend(fill.take(run, noted, before));
            next = run.graph.parent(noted).filter(|parent| parent.depth() >= top_depth);
        }
        part.notes.reverse();
        part
    }

    /// The notes of the bookmarks on `node`.
    fn bookmarks(run: &'a RunState, node: &RunNode) -> Self {
        let is_bookmark = |child: &&RunNode| child.kind == NodeKind::Checkpoint;
        let is_noted = |child: &&RunNode| run.outputs.recap(child.id).is_some();
        let noted: Vec<_> = run.graph.children(node).filter(is_bookmark).filter(is_noted).collect();
        Self::newest(run, noted)
    }

    /// The newest notes of every branch below `top` but the one that ends in `followed`.
    fn other_branches(run: &'a RunState, top: &RunNode, followed: &RunNode) -> Self {
        let is_other = |tip: &&RunNode| tip.id != followed.id && run.graph.descends(tip.id, top.id);
        let newest = |tip: &'a RunNode| noted_below(run, top.depth() + 1, tip);
        let branches: Vec<_> = run.graph.tips().filter(is_other).filter_map(newest).collect();
        Self::newest(run, branches)
    }

    /// As many of `nodes` as can be told, the newest of them.
    fn newest(run: &'a RunState, nodes: Vec<&RunNode>) -> Self {
        let mut part = Self { count: nodes.len(), ..Self::default() };
        let mut fill = Fill::default();
        for (before, noted) in nodes.into_iter().enumerate().rev() {
            if fill.is_full() {
                part.has_more = true;
                break;
            }
            part.notes.extend(fill.take(run, noted, before));
        }
        part.notes.reverse();
        part
    }
}

/// The nearest node with notes at or above `from`, not above `depth_min`.
fn noted_below<'a>(run: &'a RunState, depth_min: usize, from: &RunNode) -> Option<&'a RunNode> {
    let noted = run.graph.node(run.outputs.noted(from.id)?)?;
    (noted.depth() >= depth_min).then_some(noted)
}

/// How much was chosen already.
#[derive(Default)]
struct Fill {
    steps: usize,
    bytes: usize,
}

impl Fill {
    fn is_full(&self) -> bool {
        self.steps >= RECAP_STEPS_MAX || self.bytes > RECAP_BYTES_MAX
    }

    fn take<'a>(&mut self, run: &'a RunState, node: &RunNode, before: usize) -> Option<Noted<'a>> {
        let notes = run.outputs.recap(node.id)?;
        self.steps += 1;
        self.bytes += notes.len();
        Some(Noted { node: node.id, snapshot: node.snapshot, notes, before })
    }
}
