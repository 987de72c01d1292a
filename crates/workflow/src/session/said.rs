//! What the tokens of a place say, and where their short forms point.

use super::place::Place;
use crate::token::{
    self, AckPayload, AttemptKind, AttemptOrdinal, CheckpointPayload, Payload, StatePayload,
    attempt_id,
};

/// A payload, and what its short form counts.
pub(super) type Said = (Payload, token::Place);

pub(super) fn state(place: &Place) -> Said {
    let workflow_hash = place.workflow_hash;
    let payload = StatePayload { address: place.address, workflow_hash };
    (Payload::State(payload), at(place, AttemptOrdinal::FIRST))
}

pub(super) fn ack(place: &Place) -> Said {
    let address = place.address;
    let attempt = attempt_id(address, AttemptKind::Ack, place.ack);
    (Payload::Ack(AckPayload { address, attempt }), at(place, place.ack))
}

pub(super) fn checkpoint(place: &Place) -> Said {
    let address = place.address;
    let attempt = attempt_id(address, AttemptKind::Checkpoint, place.checkpoint);
    let payload = CheckpointPayload { address, attempt };
    (Payload::Checkpoint(payload), at(place, place.checkpoint))
}

fn at(place: &Place, attempt: AttemptOrdinal) -> token::Place {
    token::Place { node: place.ordinal, attempt }
}
