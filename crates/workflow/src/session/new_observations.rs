//! Observations about the surroundings, as far as they are new.

use std::collections::HashMap;

use crate::event::{ChangeOrdinal, EventBody, ObservationKey, ObservationRecorded, ObservedValue};
use crate::projection::SessionState;

/// Returns the observations that differ from what was last seen, as events of `state`'s session.
pub(super) fn new_observations(
    state: &SessionState,
    seen: &[ObservationRecorded],
) -> Vec<EventBody> {
    let mut latest: HashMap<ObservationKey, (u64, ObservedValue)> = HashMap::new();
    let mut bodies = Vec::new();
    for data in seen {
        // One batch may report a key twice. The value pushed last counts as known, not the one in the log.
        let known = latest.get(&data.key).cloned().or_else(|| {
            let observed = state.observed(data.key)?;
            Some((observed.changes, observed.value.clone()))
        });
        let changes = known.as_ref().map_or(0, |(changes, _)| *changes);
        if known.is_some_and(|(_, value)| value == data.value) {
            continue;
        }
        latest.insert(data.key, (changes + 1, data.value.clone()));
        let change = ChangeOrdinal(changes);
        bodies.push(EventBody::ObservationRecorded { scope: None, change, data: data.clone() });
    }
    bodies
}
