//! The gaps of a run, open and resolved.
//!
//! *Invariants*: open gaps are indexed, so that a query costs in proportion to the open gaps and not to all that were
//! ever recorded.

use std::collections::BTreeSet;

use piton_core::{EventIndex, GapId, NodeId};

use crate::event::{GapRecorded, Resolution};
use crate::gap::GapSeverity;
use crate::id_map::IdMap;

/// Index of a gap in the list of records.
type GapIndex = usize;

/// A recorded gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The node that it was recorded on.
    pub node: NodeId,
    /// The event that recorded it.
    pub index: EventIndex,
    pub record: GapRecorded,
    /// The record that resolved it.
    pub resolved_by: Option<GapId>,
}

impl Gap {
    /// True if something is still missing. A record that resolves another is no gap of its own.
    pub fn is_open(&self) -> bool {
        self.resolved_by.is_none() && matches!(self.record.resolution, Resolution::Unresolved {})
    }

    /// True if it is open and critical.
    pub fn is_critical(&self) -> bool {
        self.is_open() && self.record.severity == GapSeverity::Critical
    }
}

/// The gaps of a run, in the order of their records. None is ever removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    all: Vec<Gap>,
    places: IdMap<GapId, GapIndex>,
    by_node: IdMap<NodeId, Vec<GapIndex>>,
    open: BTreeSet<GapIndex>,
    open_by_node: BTreeSet<(NodeId, GapIndex)>,
    open_critical: usize,
}

impl Gaps {
    /// Adds a record.
    pub(super) fn add(&mut self, node: NodeId, record: &GapRecorded, index: EventIndex) {
        if let Resolution::Resolves { resolves_gap_id } = record.resolution
            && let Some(&resolved) = self.places.get(&resolves_gap_id)
        {
            self.resolve(resolved, record.gap_id);
        }
        let place = self.all.len();
        self.places.insert(record.gap_id, place);
        self.by_node.entry(node).or_default().push(place);
        let gap = Gap { node, index, record: record.clone(), resolved_by: None };
        if gap.is_open() {
            self.open.insert(place);
            self.open_by_node.insert((node, place));
            self.open_critical += usize::from(gap.is_critical());
        }
        self.all.push(gap);
    }

    fn resolve(&mut self, place: GapIndex, by: GapId) {
        let gap = &mut self.all[place];
        // Count it out before it is marked: a gap that is resolved already is not critical and counts as zero.
        self.open_critical -= usize::from(gap.is_critical());
        gap.resolved_by = Some(by);
        self.open.remove(&place);
        self.open_by_node.remove(&(gap.node, place));
    }

    /// Returns every record.
    pub fn all(&self) -> &[Gap] {
        &self.all
    }

    /// Returns a record by its id.
    pub fn find(&self, id: GapId) -> Option<&Gap> {
        self.places.get(&id).map(|&place| &self.all[place])
    }

    /// Iterates over every record of one node, in order.
    pub fn on(&self, node: NodeId) -> impl Iterator<Item = &Gap> {
        let places = self.by_node.get(&node).map_or(&[][..], Vec::as_slice);
        places.iter().map(|&place| &self.all[place])
    }

    /// Iterates over the open gaps, in the order of their records.
    pub fn open(&self) -> impl ExactSizeIterator<Item = &Gap> {
        self.open.iter().map(|&place| &self.all[place])
    }

    /// Iterates over the open gaps of one node, in the order of their records.
    pub fn open_on(&self, node: NodeId) -> impl Iterator<Item = &Gap> {
        let places = self.open_by_node.range((node, GapIndex::MIN)..=(node, GapIndex::MAX));
        places.map(|&(_, place)| &self.all[place])
    }

    /// Returns the number of open gaps that are critical.
    pub fn open_critical(&self) -> usize {
        self.open_critical
    }
}
