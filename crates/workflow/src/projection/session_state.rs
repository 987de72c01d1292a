//! Everything that the events of a session say.

use piton_core::{EventIndex, NodeId, RunId, SessionId};

use super::run_state::RunState;
use crate::{
    event::{EventBody, NodeScope, ObservedValue, SessionEvent},
    id_map::IdMap,
    observation::ObservationKey,
};

/// What was last seen of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastObservation {
    /// The event that recorded it.
    pub index: EventIndex,
    /// What was seen.
    pub value: ObservedValue,
    /// How many observations of the key there are, with this one.
    pub changes: u64,
}

/// A session, folded from its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    session: Option<SessionId>,
    next: EventIndex,
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

    /// Takes in the next event.
    pub fn apply(&mut self, event: &SessionEvent) {
        let index = event.index();
        self.session = Some(event.session());
        self.next = index.next();
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

    /// The session, once an event was taken in.
    pub fn session(&self) -> Option<SessionId> {
        self.session
    }

    /// The index that the next event will have.
    pub fn next(&self) -> EventIndex {
        self.next
    }

    /// The runs, in the order of their start.
    pub fn runs(&self) -> &[RunState] {
        &self.runs
    }

    /// A run by its id.
    pub fn run(&self, id: RunId) -> Option<&RunState> {
        self.places.get(&id).map(|&place| &self.runs[place])
    }

    /// The node that so many nodes of the session precede.
    pub fn node_at(&self, ordinal: usize) -> Option<NodeScope> {
        self.nodes.get(ordinal).copied()
    }

    /// How many nodes of the session precede `node`.
    pub fn ordinal_of(&self, node: NodeId) -> Option<usize> {
        self.ordinals.get(&node).copied()
    }

    /// What was last seen of something.
    pub fn observed(&self, key: ObservationKey) -> Option<&LastObservation> {
        self.observations.get(&key)
    }
}
