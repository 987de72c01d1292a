//! The state of a session, folded from its events.

use piton_core::{EventIndex, NodeId, RunId, SessionId, TimestampMs};

use super::run_state::RunState;
use crate::event::{EventBody, NodeScope, ObservationKey, ObservedValue, SessionEvent};
use crate::id_map::IdMap;

/// The latest observation of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastObservation {
    /// The event that recorded it.
    pub index: EventIndex,
    pub value: ObservedValue,
    /// Number of observations of the key, including this one.
    pub changes: u64,
}

/// A session, folded from its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    session: Option<SessionId>,
    next: EventIndex,
    /// The times of all events, in order. Nothing is decided by them.
    times: Vec<TimestampMs>,
    runs: Vec<RunState>,
    places: IdMap<RunId, usize>,
    observations: IdMap<ObservationKey, LastObservation>,
    nodes: Vec<NodeScope>,
    ordinals: IdMap<NodeId, usize>,
}

impl SessionState {
    /// Folds a whole log.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a SessionEvent>) -> Self {
        let mut state = Self::default();
        for event in events {
            state.apply(event);
        }
        state
    }

    /// Applies the next event.
    pub fn apply(&mut self, event: &SessionEvent) {
        let index = event.index();
        self.session = Some(event.session());
        self.next = index.next();
        self.times.push(event.timestamp());
        match event.body() {
            EventBody::RunStarted(run, started) => {
                self.places.insert(*run, self.runs.len());
                self.runs.push(RunState::new(*run, started.clone(), event.timestamp()));
            }
            EventBody::ObservationRecorded { data, .. } => {
                let value = data.value.clone();
                let changes = self.observed(data.key).map_or(0, |observed| observed.changes) + 1;
                self.observations.insert(data.key, LastObservation { index, value, changes });
            }
            body => {
                // Ordinals count the nodes of the whole session, because short tokens name a node without naming its
                // run.
                if let EventBody::NodeCreated(at, _) = body {
                    self.ordinals.insert(at.node, self.nodes.len());
                    self.nodes.push(*at);
                }
                let run = body.scope().and_then(|scope| scope.run_id);
                if let Some(&place) = run.and_then(|run| self.places.get(&run)) {
                    self.runs[place].apply(event);
                }
            }
        }
    }

    /// Returns the session, once an event was applied.
    pub fn session(&self) -> Option<SessionId> {
        self.session
    }

    /// Returns the index that the next event will have.
    pub fn next(&self) -> EventIndex {
        self.next
    }

    /// Returns the time at which an event was recorded, for people; zero for one that was not applied.
    pub fn time_of(&self, index: EventIndex) -> TimestampMs {
        let place = usize::try_from(index.get()).ok();
        place.and_then(|place| self.times.get(place)).copied().unwrap_or(TimestampMs(0))
    }

    /// Returns the runs, in the order of their start.
    pub fn runs(&self) -> &[RunState] {
        &self.runs
    }

    /// Returns a run by its id.
    pub fn run(&self, id: RunId) -> Option<&RunState> {
        self.places.get(&id).map(|&place| &self.runs[place])
    }

    /// Returns the node with this number of nodes of the session before it.
    pub fn node_at(&self, ordinal: usize) -> Option<NodeScope> {
        self.nodes.get(ordinal).copied()
    }

    /// Returns the number of nodes of the session before `node`.
    pub fn ordinal_of(&self, node: NodeId) -> Option<usize> {
        self.ordinals.get(&node).copied()
    }

    /// Returns the latest observation of a key.
    pub fn observed(&self, key: ObservationKey) -> Option<&LastObservation> {
        self.observations.get(&key)
    }
}
