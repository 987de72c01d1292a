//! The recap for an agent that resumes a run: what was done on the way to a node, and what came after it.
//!
//! A node stands for a step, and its notes say how that step was done. So the notes of its ancestors describe the way
//! to a node. If the run has left the node before, its own notes and those of the newest branch below it describe
//! what came after. Other branches are represented by their newest notes.
//!
//! This takes two steps, because the titles of steps are stored in snapshots, which the caller reads:
//! [`RecapDraft::select`] chooses notes, few enough to read their snapshots; [`RecapDraft::render`] makes the text.
//!
//! [`Produced`](super::Produced) reports what steps produced beside their notes. It follows the recap.
//!
//! *Invariants*: deterministic, and never longer than its budgets. The text goes from old to new. What does not fit
//! is cut at its old end and counted, so that the newest notes are always there. The way to the node takes precedence
//! over what came after it, and that over other branches. Outputs belong to the branch that they led to: no branch
//! shows what another one submitted at the step where they part.

use std::borrow::Cow;
use std::collections::BTreeSet;

use piton_core::budget::{TRUNCATION_MARKER, truncate};
use piton_core::{NodeId, OutputId, SnapshotRef, shorten};

use super::graph::{RunGraph, RunNode};
use super::outputs::RecordedOutput;
use super::run_state::RunState;
use super::summary::headline;
use crate::bounds::{
    BRANCH_NOTES_BYTES_MAX, FUNCTIONS_BYTES_MAX, NOTES_BYTES_MAX, RECAP_BYTES_MAX,
    RECAP_FRAME_BYTES, RECAP_STEPS_MAX, RECAP_TITLE_BYTES_MAX,
};
use crate::compile::function::section;
use crate::compile::{CompiledWorkflow, FunctionDefinition, FunctionScope};
use crate::event::NodeKind;
use crate::name::StepId;
use crate::snapshot::PendingStep;

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
    before: usize,
    /// Set when a person refused the step.
    is_refused: bool,
}

/// Notes that are shown together.
#[derive(Clone, Debug, Default)]
struct RecapGroup<'a> {
    /// Notes, oldest first.
    notes: Vec<Noted<'a>>,
    /// Set when there are older ones.
    has_more: bool,
    /// Number of steps or branches that the part stands for.
    count: usize,
}

/// The notes that a recap of a node can show.
#[derive(Clone, Debug)]
pub struct RecapDraft<'a> {
    way: RecapGroup<'a>,
    bookmarks: RecapGroup<'a>,
    after: RecapGroup<'a>,
    branches: RecapGroup<'a>,
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

/// The parts of a recap.
#[derive(Clone, Copy)]
enum RecapKind {
    Way,
    Bookmarks,
    After,
    Branches,
}

impl RecapKind {
    const fn heading(self) -> &'static str {
        match self {
            Self::Way => "## What was done so far",
            Self::Bookmarks => "## Bookmarks on this step",
            Self::After => "## What was done from this step on, on the branch that the run follows",
            Self::Branches => "## How other branches from this step ended",
        }
    }

    const fn notes_bytes_max(self) -> usize {
        match self {
            Self::Way | Self::After => NOTES_BYTES_MAX,
            Self::Bookmarks | Self::Branches => BRANCH_NOTES_BYTES_MAX,
        }
    }

    /// Returns the notice about what was left out.
    fn cut(self, left_out: usize) -> String {
        let (one, many) = match self {
            Self::Way | Self::After => ("step", "steps"),
            Self::Bookmarks => ("bookmark", "bookmarks"),
            Self::Branches => ("branch", "branches"),
        };
        let what = match left_out {
            1 => format!("first {one} is"),
            _ => format!("first {left_out} {many} are"),
        };
        format!("{TRUNCATION_MARKER}\nThe {what} left out.")
    }
}

/// A piece of a recap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecapPiece {
    pub text: String,
    /// The node and the output that the notes are from; none if nobody submitted the text.
    pub source: Option<(NodeId, OutputId)>,
}

impl RecapPiece {
    pub(super) fn composed(text: impl Into<String>) -> Self {
        Self { text: text.into(), source: None }
    }
}

impl RecapDraft<'_> {
    /// Renders the recap as Markdown, followed by the definitions of the functions that its steps refer to. Empty if
    /// there is nothing to report.
    ///
    /// The definitions of the `pending` step are in its prompt and are not repeated, but they count against the
    /// budget of definitions. `step_at` returns the step of a node.
    pub fn render<'s>(
        &self,
        workflow: &CompiledWorkflow,
        pending: Option<&PendingStep>,
        step_at: impl Fn(NodeId) -> Option<&'s PendingStep>,
    ) -> String {
        self.pieces(workflow, pending, step_at).into_iter().map(|piece| piece.text).collect()
    }

    /// Renders the same text in pieces, each with the node that its notes are from.
    pub fn pieces<'s>(
        &self,
        workflow: &CompiledWorkflow,
        pending: Option<&PendingStep>,
        step_at: impl Fn(NodeId) -> Option<&'s PendingStep>,
    ) -> Vec<RecapPiece> {
        // Every part that has notes is guaranteed its frame, so that an earlier part cannot crowd out a later one
        // entirely.
        let reserve =
            |part: &RecapGroup<'_>| if part.notes.is_empty() { 0 } else { RECAP_FRAME_BYTES };
        let parts = [
            (RecapKind::Way, &self.way),
            (RecapKind::Bookmarks, &self.bookmarks),
            (RecapKind::After, &self.after),
            (RecapKind::Branches, &self.branches),
        ];
        let (mut pieces, mut length) = (Vec::new(), 0);
        let mut shown = Vec::new();
        for (place, (kind, part)) in parts.into_iter().enumerate() {
            let later: usize = parts[place + 1..].iter().map(|(_, part)| reserve(part)).sum();
            let room = RECAP_BYTES_MAX - length - later;
            let told = push_line(kind, part, room, &step_at);
            shown.push(told.iter().filter_map(|piece| Some(piece.source?.0)).collect());
            if !pieces.is_empty() && !told.is_empty() {
                pieces.push(RecapPiece::composed("\n\n"));
            }
            pieces.extend(told);
            length = pieces.iter().map(|piece| piece.text.len()).sum();
        }
        // The way to the node needs no definitions: its steps are done. Bookmarks are on the pending step.
        let shown: &[Vec<NodeId>] = &shown[2..];
        pieces.push(RecapPiece::composed(definitions(workflow, pending, shown, &step_at)));
        pieces
    }
}

/// Renders one part in at most `room` bytes, including a blank line before it.
fn push_line<'s>(
    kind: RecapKind,
    part: &RecapGroup<'_>,
    room: usize,
    step_at: &impl Fn(NodeId) -> Option<&'s PendingStep>,
) -> Vec<RecapPiece> {
    if part.notes.is_empty() {
        return Vec::new();
    }
    let entry = |noted: &Noted<'_>| {
        let title = step_at(noted.node).and_then(|step| headline(step.title.as_str()));
        let title = shorten(title.unwrap_or("A step"), RECAP_TITLE_BYTES_MAX);
        let mark = if noted.is_refused { " (a person refused this)" } else { "" };
        let notes: Cow<'_, str> = truncate(noted.notes.trim(), kind.notes_bytes_max());
        [
            RecapPiece::composed(format!("\n\n### {title}{mark}\n")),
            RecapPiece { text: notes.into_owned(), source: Some((noted.node, noted.output)) },
        ]
    };
    let mut room = room.saturating_sub(RECAP_FRAME_BYTES);
    let mut entries = Vec::new();
    // From new to old: what does not fit is cut at the old end.
    for noted in part.notes.iter().rev() {
        let entry = entry(noted);
        let Some(left) = room.checked_sub(entry.iter().map(|piece| piece.text.len()).sum()) else {
            break;
        };
        room = left;
        entries.push((noted, entry));
    }
    entries.reverse();
    let mut text = kind.heading().to_owned();
    if part.has_more || entries.len() < part.notes.len() {
        // On a way, `before` also counts the steps without notes and those that were never selected.
        let left_out = entries.first().map_or(part.count, |(oldest, _)| oldest.before);
        text.push_str(&kind.cut(left_out));
    }
    let entries = entries.into_iter().flat_map(|(_, entry)| entry);
    [RecapPiece::composed(text)].into_iter().chain(entries).collect()
}

/// Returns the definitions that the steps of `parts` need beyond those of the pending step. Earlier parts come first.
fn definitions<'s>(
    workflow: &CompiledWorkflow,
    pending: Option<&PendingStep>,
    parts: &[Vec<NodeId>],
    step_at: &impl Fn(NodeId) -> Option<&'s PendingStep>,
) -> String {
    let of_step = |id: &StepId| {
        let step = workflow.step(id);
        step.map(|step| workflow.functions_of(step)).unwrap_or_default()
    };
    // The prompt of the pending step holds its own definitions already. They are not repeated, but they use up
    // budget.
    let own = pending.map(|pending| of_step(&pending.step_id)).unwrap_or_default();
    let budget = FUNCTIONS_BYTES_MAX.saturating_sub(section(&own, FUNCTIONS_BYTES_MAX).len());
    let mut known: BTreeSet<_> = own.iter().map(|function| &function.key).collect();
    let mut listed = Vec::new();
    for part in parts {
        let steps = part.iter().filter_map(|node| step_at(*node));
        let mut functions: Vec<_> = steps.flat_map(|step| of_step(&step.step_id)).collect();
        functions.retain(|function| known.insert(&function.key));
        functions.sort_by_key(|function| by_scope_and_name(function));
        listed.extend(functions);
    }
    section(&listed, budget)
}

/// Sort key: inner scopes first, by name within each.
fn by_scope_and_name(function: &FunctionDefinition) -> (u8, &str, &FunctionScope) {
    let scope = &function.key.scope;
    let rank = match scope {
        FunctionScope::Step { .. } => 0,
        FunctionScope::Loop { .. } => 1,
        FunctionScope::Workflow => 2,
    };
    (rank, function.key.name.as_str(), scope)
}

#[cfg(test)]
mod tests {
    use super::{RECAP_FRAME_BYTES, RecapKind};

    #[test]
    fn a_frame_fits_into_its_room() {
        for kind in [RecapKind::Way, RecapKind::Bookmarks, RecapKind::After, RecapKind::Branches] {
            let frame = "\n\n".len() + kind.heading().len() + kind.cut(usize::MAX).len();
            assert!(frame <= RECAP_FRAME_BYTES, "{frame}");
        }
    }
}
