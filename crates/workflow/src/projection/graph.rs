//! The graph of a run: its nodes, their ancestry, and the preferred tip.
//!
//! A *tip* is a step node that no other step came from. Checkpoints are never tips, and they do not count as children
//! here. The activity of a tip is the index of the newest event that touched it or one of its ancestors. The
//! preferred tip is the one with the highest activity; among equals, the one that was created last.
//!
//! The preferred tip is found without comparing all tips. Let `touched` be the node of the newest touching event.
//! Exactly the tips at or below it have the highest activity. The newest step at or below it has no step below it,
//! because a child is created after its parent; so it is the tip that was created last.
//!
//! *Limitations*: the preferred tip is found at once if the newest event touched the tip of a branch or an ancestor
//! of the newest step. After an event in the middle of an older branch, the steps that were created since are
//! searched.

use piton_core::{EventIndex, NodeId, SnapshotRef};

use crate::event::{EdgeCreated, NodeCreated};
use crate::id_map::IdMap;
use crate::topology::{EdgeCause, NodeKind};

/// Index of a node in the list of nodes.
type NodeIndex = usize;

/// A node of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunNode {
    pub id: NodeId,
    pub kind: NodeKind,
    /// The event that created it.
    pub created: EventIndex,
    /// Reference to the state that the run continues from.
    pub snapshot: SnapshotRef,
    /// Reason for the edge to it; none for the root.
    pub cause: Option<EdgeCause>,
    /// The newest event that touched it.
    pub touched: EventIndex,
    parent: Option<NodeIndex>,
    children: Vec<NodeIndex>,
    /// Set when at least one child is a step rather than a bookmark.
    has_step: bool,
    depth: usize,
    /// An ancestor further up, which makes a walk toward the root take few hops. The root points to itself.
    jump: NodeIndex,
}

impl RunNode {
    /// True if it is a step that no other step came from.
    pub fn is_tip(&self) -> bool {
        self.kind != NodeKind::Checkpoint && !self.has_step
    }

    /// Returns the number of its ancestors; 0 for the root.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

/// The graph of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunGraph {
    /// Nodes in the order of their creation: parents come before children.
    nodes: Vec<RunNode>,
    places: IdMap<NodeId, NodeIndex>,
    touched: Option<NodeIndex>,
    /// The newest node that is not a bookmark.
    newest: Option<NodeIndex>,
    tip_count: usize,
}

impl RunGraph {
    /// Adds a node.
    pub fn add_node(&mut self, id: NodeId, node: &NodeCreated, index: EventIndex) {
        let place = self.nodes.len();
        let parent = node.parent_node_id.and_then(|parent| self.places.get(&parent).copied());
        let (depth, jump) = parent
            .map_or((0, place), |parent| (self.nodes[parent].depth + 1, self.jump_below(parent)));
        let is_step = node.node_kind != NodeKind::Checkpoint;
        if let Some(parent) = parent.map(|parent| &mut self.nodes[parent]) {
            parent.children.push(place);
            // The parent stops being a tip with its first step child.
            if is_step && parent.kind != NodeKind::Checkpoint && !parent.has_step {
                self.tip_count -= 1;
            }
            parent.has_step |= is_step;
        }
        if is_step {
            self.newest = Some(place);
            self.tip_count += 1;
        }
        self.nodes.push(RunNode {
            id,
            kind: node.node_kind,
            created: index,
            snapshot: node.snapshot_ref,
            cause: None,
            touched: index,
            parent,
            children: Vec::new(),
            has_step: false,
            depth,
            jump,
        });
        self.places.insert(id, place);
        self.touch_place(place, index);
    }

    /// Records an edge, which touches both of its ends.
    pub fn add_edge(&mut self, edge: &EdgeCreated, index: EventIndex) {
        if let Some(&to) = self.places.get(&edge.to()) {
            // The node that the edge leaves is touched last, so it decides the preferred tip: everything below it,
            // `to` included, has the highest activity.
            self.nodes[to].cause = Some(edge.cause().kind);
            self.nodes[to].touched = index;
        }
        self.touch(edge.from(), index);
    }

    /// Records an event on a node.
    pub fn touch(&mut self, node: NodeId, index: EventIndex) {
        if let Some(&place) = self.places.get(&node) {
            self.touch_place(place, index);
        }
    }

    fn touch_place(&mut self, place: NodeIndex, index: EventIndex) {
        self.nodes[place].touched = index;
        // Nothing descends from a checkpoint, so nothing that happens on it makes a tip active.
        if self.nodes[place].kind != NodeKind::Checkpoint {
            self.touched = Some(place);
        }
    }

    /// Returns the jump target of a new child of `parent`: the far end of the parent's next two jumps if both are
    /// equally long, else the parent itself.
    fn jump_below(&self, parent: NodeIndex) -> NodeIndex {
        // These are skew-binary jump pointers: any ancestor is reached in O(log depth) hops, at one index per node.
        let near = self.nodes[parent].jump;
        let far = self.nodes[near].jump;
        let depth = |place: NodeIndex| self.nodes[place].depth;
        if depth(parent) - depth(near) == depth(near) - depth(far) { far } else { parent }
    }

    /// Returns a node by its id.
    pub fn node(&self, id: NodeId) -> Option<&RunNode> {
        self.places.get(&id).map(|&place| &self.nodes[place])
    }

    /// Iterates over all nodes in the order of their creation.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &RunNode> {
        self.nodes.iter()
    }

    /// Returns the first node.
    pub fn root(&self) -> Option<&RunNode> {
        self.nodes.first()
    }

    /// Returns the node that `node` came from.
    pub fn parent(&self, node: &RunNode) -> Option<&RunNode> {
        node.parent.map(|parent| &self.nodes[parent])
    }

    /// Iterates over the nodes that came from `node`, in the order of their creation.
    pub fn children<'a>(&'a self, node: &'a RunNode) -> impl Iterator<Item = &'a RunNode> {
        node.children.iter().map(|&child| &self.nodes[child])
    }

    /// Iterates over a node and its ancestors, up to the root. Yields nothing for an unknown node.
    pub fn ancestry(&self, id: NodeId) -> impl Iterator<Item = &RunNode> {
        let first = self.node(id);
        std::iter::successors(first, |node| self.parent(node))
    }

    /// True if `node` is `ancestor` or came from it.
    pub fn descends(&self, node: NodeId, ancestor: NodeId) -> bool {
        match (self.places.get(&node), self.places.get(&ancestor)) {
            (Some(&node), Some(&ancestor)) => self.is_below(node, ancestor),
            _ => false,
        }
    }

    fn is_below(&self, mut node: NodeIndex, ancestor: NodeIndex) -> bool {
        // Climb to the depth of `ancestor`; the one node reached there either is it or shows that it is on another
        // branch.
        let goal = self.nodes[ancestor].depth;
        while self.nodes[node].depth > goal {
            let RunNode { jump, parent, .. } = self.nodes[node];
            // Jump if that does not overshoot, else take a single step.
            node = match parent {
                _ if self.nodes[jump].depth >= goal => jump,
                Some(parent) => parent,
                None => return false,
            };
        }
        node == ancestor
    }

    /// Iterates over all tips in the order of their creation.
    pub fn tips(&self) -> impl Iterator<Item = &RunNode> {
        self.nodes.iter().filter(|node| node.is_tip())
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of tips.
    pub fn tip_count(&self) -> usize {
        self.tip_count
    }

    /// Returns the tip that the run is at.
    pub fn preferred_tip(&self) -> Option<&RunNode> {
        self.newest_below(self.touched?)
    }

    /// Returns the newest event that touched the preferred tip or one of its ancestors.
    pub fn last_activity(&self) -> Option<EventIndex> {
        self.touched.map(|touched| self.nodes[touched].touched)
    }

    /// Returns the newest tip at or below `node`.
    pub fn newest_tip_below(&self, node: &RunNode) -> Option<&RunNode> {
        self.newest_below(*self.places.get(&node.id)?)
    }

    fn newest_below(&self, top: NodeIndex) -> Option<&RunNode> {
        let newest = self.newest?;
        // The common case: the newest step of the whole run lies below `top`, so nothing newer can.
        let place = if self.is_below(newest, top) {
            newest
        } else if self.nodes[top].has_step {
            // Children come after their parents, so everything below `top` lies behind it. The first hit from the end
            // is the newest.
            let is_step = |place: &NodeIndex| self.nodes[*place].kind != NodeKind::Checkpoint;
            (top..newest).rev().filter(is_step).find(|&place| self.is_below(place, top))?
        } else {
            top
        };
        Some(&self.nodes[place])
    }

    /// Returns the newest event that touched `node` or one of its ancestors.
    pub fn activity(&self, node: NodeId) -> Option<EventIndex> {
        self.ancestry(node).map(|node| node.touched).max()
    }
}
