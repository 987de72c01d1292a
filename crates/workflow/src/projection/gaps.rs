//! What is missing in a run, and what was supplied since.

use std::collections::HashMap;

use piton_core::{EventIndex, GapId, NodeId};

use crate::{
    event::{GapRecorded, Resolution},
    gap::GapSeverity,
};

/// A recorded gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The node that it was recorded on.
    pub node: NodeId,
    /// The event that recorded it.
    pub index: EventIndex,
    /// What was recorded.
    pub record: GapRecorded,
    /// The record that resolved it.
    pub resolved_by: Option<GapId>,
}

impl Gap {
    /// Whether something is still missing. A record that resolves another is no gap of its own.
    pub fn is_open(&self) -> bool {
        self.resolved_by.is_none() && matches!(self.record.resolution, Resolution::Unresolved {})
    }

    /// Whether it is open and critical.
    pub fn is_critical(&self) -> bool {
        self.is_open() && self.record.severity == GapSeverity::Critical
    }
}

/// The gaps of a run, in the order of their records. None is ever taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    all: Vec<Gap>,
    places: HashMap<GapId, usize>,
}

impl Gaps {
    /// Adds a record.
    pub fn add(&mut self, node: NodeId, record: &GapRecorded, index: EventIndex) {
        if let Resolution::Resolves { resolves_gap_id } = record.resolution
            && let Some(&resolved) = self.places.get(&resolves_gap_id)
        {
            self.all[resolved].resolved_by = Some(record.gap_id);
        }
        self.places.insert(record.gap_id, self.all.len());
        self.all.push(Gap { node, index, record: record.clone(), resolved_by: None });
    }

    /// Every record.
    pub fn all(&self) -> &[Gap] {
        &self.all
    }

    /// A record by its id.
    pub fn find(&self, id: GapId) -> Option<&Gap> {
        self.places.get(&id).map(|&place| &self.all[place])
    }

    /// What is still missing, in the order of the records.
    pub fn open(&self) -> impl Iterator<Item = &Gap> {
        self.all.iter().filter(|gap| gap.is_open())
    }

    /// What is still missing on one node.
    pub fn open_on(&self, node: NodeId) -> impl Iterator<Item = &Gap> {
        self.open().filter(move |gap| gap.node == node)
    }
}
