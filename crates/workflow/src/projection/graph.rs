//! The graph of a run: its nodes, who came from whom, and which of them is the preferred tip.
//!
//! A *tip* is a node without a child that is a step; checkpoints are neither tips nor children in
//! this sense. The activity of a tip is the index of the newest event that touched it or one of its
//! ancestors. The preferred tip is the one with the highest activity; among equals the one that was
//! created last.
//!
//! That rule is answered without comparing all tips. Let `touched` be the node of the newest
//! touching event. Exactly the tips below it (or it itself) have the highest activity, and the node
//! that was created last below it has no child, so it is the tip that was created last.
//!
//! *Limitations*: the preferred tip is found at once while the newest event touched the tip of a branch,
//! or a node that the newest step came from. After an event in the middle of an older branch the steps
//! that were made since are looked through.

use piton_core::{EventIndex, NodeId, SnapshotRef};

use crate::{
    event::{EdgeCreated, NodeCreated},
    id_map::IdMap,
    topology::{EdgeCause, NodeKind},
};

/// A node's place in the list of nodes.
type NodeIndex = usize;

/// A node of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunNode {
    /// Its id.
    pub id: NodeId,
    /// What it stands for.
    pub kind: NodeKind,
    /// The event that created it.
    pub created: EventIndex,
    /// What it takes to go on from it.
    pub snapshot: SnapshotRef,
    /// Why the edge to it exists; none for the root.
    pub cause: Option<EdgeCause>,
    /// The newest event that touched it.
    pub touched: EventIndex,
    parent: Option<NodeIndex>,
    children: Vec<NodeIndex>,
    /// Whether one of the children is more than a bookmark.
    has_step: bool,
    depth: usize,
    /// An ancestor further up, so that a way up takes few steps.
    jump: NodeIndex,
}

impl RunNode {
    /// Whether nothing but checkpoints came from it, and it is none itself.
    pub fn is_tip(&self) -> bool {
        self.kind != NodeKind::Checkpoint && !self.has_step
    }

    /// How many nodes it came from, one from the other; 0 for the root.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

/// The graph of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunGraph {
    /// In the order of their creation: parents come before children.
    nodes: Vec<RunNode>,
    places: IdMap<NodeId, NodeIndex>,
    touched: Option<NodeIndex>,
    /// The newest node that is more than a bookmark.
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

    /// Takes note of an edge; it touches the node it leaves and the node it reaches.
    pub fn add_edge(&mut self, edge: &EdgeCreated, index: EventIndex) {
        if let Some(&to) = self.places.get(&edge.to()) {
            self.nodes[to].cause = Some(edge.cause().kind);
            self.nodes[to].touched = index;
        }
        self.touch(edge.from(), index);
    }

    /// Takes note of an event on a node.
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

    /// Where a new child of `parent` jumps to: twice as far as the parent where that is level.
    fn jump_below(&self, parent: NodeIndex) -> NodeIndex {
        let near = self.nodes[parent].jump;
        let far = self.nodes[near].jump;
        let depth = |place: NodeIndex| self.nodes[place].depth;
        if depth(parent) - depth(near) == depth(near) - depth(far) { far } else { parent }
    }

    /// A node by its id.
    pub fn node(&self, id: NodeId) -> Option<&RunNode> {
        self.places.get(&id).map(|&place| &self.nodes[place])
    }

    /// All nodes, in the order of their creation.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &RunNode> {
        self.nodes.iter()
    }

    /// The first node.
    pub fn root(&self) -> Option<&RunNode> {
        self.nodes.first()
    }

    /// The node that `node` came from.
    pub fn parent(&self, node: &RunNode) -> Option<&RunNode> {
        node.parent.map(|parent| &self.nodes[parent])
    }

    /// The nodes that came from `node`, in the order of their creation.
    pub fn children<'a>(&'a self, node: &'a RunNode) -> impl Iterator<Item = &'a RunNode> {
        node.children.iter().map(|&child| &self.nodes[child])
    }

    /// A node and the nodes that it came from, up to the root; nothing for an unknown node.
    pub fn ancestry(&self, id: NodeId) -> impl Iterator<Item = &RunNode> {
        let first = self.node(id);
        std::iter::successors(first, |node| self.parent(node))
    }

    /// Whether `node` is `ancestor` or came from it.
    pub fn descends(&self, node: NodeId, ancestor: NodeId) -> bool {
        match (self.places.get(&node), self.places.get(&ancestor)) {
            (Some(&node), Some(&ancestor)) => self.is_below(node, ancestor),
            _ => false,
        }
    }

    fn is_below(&self, mut node: NodeIndex, ancestor: NodeIndex) -> bool {
        let goal = self.nodes[ancestor].depth;
        while self.nodes[node].depth > goal {
            let RunNode { jump, parent, .. } = self.nodes[node];
            node = match parent {
                _ if self.nodes[jump].depth >= goal => jump,
                Some(parent) => parent,
                None => return false,
            };
        }
        node == ancestor
    }

    /// Every tip, in the order of their creation.
    pub fn tips(&self) -> impl Iterator<Item = &RunNode> {
        self.nodes.iter().filter(|node| node.is_tip())
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many tips there are.
    pub fn tip_count(&self) -> usize {
        self.tip_count
    }

    /// The tip that a run stands at.
    pub fn preferred_tip(&self) -> Option<&RunNode> {
        self.newest_below(self.touched?)
    }

    /// The newest event that touched the preferred tip or one of its ancestors.
    pub fn last_activity(&self) -> Option<EventIndex> {
        self.touched.map(|touched| self.nodes[touched].touched)
    }

    /// The tip that was created last among those that came from `node`; the node itself if it is one.
    pub fn newest_tip_below(&self, node: &RunNode) -> Option<&RunNode> {
        self.newest_below(*self.places.get(&node.id)?)
    }

    fn newest_below(&self, top: NodeIndex) -> Option<&RunNode> {
        let newest = self.newest?;
        let place = if self.is_below(newest, top) {
            newest
        } else if self.nodes[top].has_step {
            let is_step = |place: &NodeIndex| self.nodes[*place].kind != NodeKind::Checkpoint;
            (top..newest).rev().filter(is_step).find(|&place| self.is_below(place, top))?
        } else {
            top
        };
        Some(&self.nodes[place])
    }

    /// The newest event that touched `node` or one of its ancestors.
    pub fn activity(&self, node: NodeId) -> Option<EventIndex> {
        self.ancestry(node).map(|node| node.touched).max()
    }
}
